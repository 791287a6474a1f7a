import { closeSync, mkdirSync, openSync } from 'node:fs';

/** Reading and writing for the owner, nothing for anybody else. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;

/** Creates a folder with its parents, open to its owner only; one that exists keeps its mode. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
}

/** Creates an empty file for its owner only. Throws `EEXIST` when there is one: its content isn't ours to lose. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', PRIVATE_FILE_MODE));
}
