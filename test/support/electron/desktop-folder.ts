import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { resetFakeElectron, uncaught } from './fake-electron.ts';

/** Makes the stand-in for Electron new, and a folder with the page of a window for a desktop host to start in. */
export async function makeDesktopFolder(): Promise<string> {
  resetFakeElectron();
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-desktop-'));
  await writeFile(join(folder, 'index.html'), '<title>window</title>');
  return folder;
}

/** Removes the folder, once nothing that the host did was left uncaught. */
export async function removeDesktopFolder(folder: string): Promise<void> {
  expect(uncaught).toEqual([]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
