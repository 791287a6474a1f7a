import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findErrorCode } from './error-text.ts';
import { PRIVATE_FILE_MODE } from './private-files.ts';

const MAX_RENAMES = 5;
const RENAME_WAIT_MS = 100;

/**
 * Writes a file for its owner only, so that a crash or a power cut leaves either the old content or the new one.
 * Throws the system's error with the old content in place; `<path>.new` may stay until the next attempt.
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const unfinished = `${path}.new`;
  await writeFile(unfinished, content, { mode: PRIVATE_FILE_MODE });
  await replaceFile(unfinished, path);
}

/** Like `writeFileAtomically`, for a thread that must be done when it returns. */
export function writeFileAtomicallySync(path: string, content: string | Uint8Array): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, content, { mode: PRIVATE_FILE_MODE });
  replaceFileSync(unfinished, path);
}

/** Moves a finished file over `target` in one step that lasts through a power cut: flush, rename, flush the folder. */
export async function replaceFile(finished: string, target: string): Promise<void> {
  await flush(finished, 'r+');
  await renamePatiently(finished, target);
  // The file is complete under its name already, and not every system can open a folder.
  await flush(dirname(target), 'r').catch(() => undefined);
}

/** Like `replaceFile`, without another attempt when the target is held open. */
export function replaceFileSync(finished: string, target: string): void {
  flushSync(finished, 'r+');
  renameSync(finished, target);
  try {
    flushSync(dirname(target), 'r');
  } catch {
    // As above.
  }
}

async function flush(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags);
  await handle.sync().finally(() => handle.close());
}

function flushSync(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** On Windows a virus scanner or a viewer may hold the target open for a moment. */
async function renamePatiently(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const isHeld = ['EPERM', 'EBUSY', 'EACCES'].includes(findErrorCode(error) ?? '');
      if (attempt === MAX_RENAMES || !isHeld) throw error;
      await wait(RENAME_WAIT_MS * attempt);
    }
  }
}
