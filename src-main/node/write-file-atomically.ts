import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { movePatiently, movePatientlySync } from './move-and-remove.ts';
import { retryWhileHeld, retryWhileHeldSync } from './retry-while-held.ts';
import { PRIVATE_FILE_MODE } from './private-files.ts';

/**
 * Writes a file for its owner only, so that a crash or a power cut leaves either the old content or the new one.
 * Throws AppError `files.held`, or the system's error, with the old content in place; `<path>.new` may stay until the
 * next attempt.
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const unfinished = `${path}.new`;
  await retryWhileHeld({ path: unfinished, action: 'open' }, async () => {
    const handle = await open(unfinished, 'w', PRIVATE_FILE_MODE);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
  await movePatiently(unfinished, path);
  await flushFolder(path);
}

/** Like `writeFileAtomically`; blocks the thread for up to `maxWaitMs` while another program has the file open. */
export function writeFileAtomicallySync(
  path: string,
  content: string | Uint8Array,
  maxWaitMs?: number,
): void {
  const unfinished = `${path}.new`;
  retryWhileHeldSync({ path: unfinished, action: 'open', maxWaitMs }, () => {
    writeFileSync(unfinished, content, { mode: PRIVATE_FILE_MODE, flush: true });
  });
  movePatientlySync(unfinished, path, maxWaitMs);
  flushFolderSync(path);
}

/** Moves a finished file over `target` in one step that lasts through a power cut: flush, rename, flush the folder. */
export async function replaceFile(finished: string, target: string): Promise<void> {
  await retryWhileHeld({ path: finished, action: 'open' }, async () => {
    const handle = await open(finished, 'r+');
    await handle.sync().finally(() => handle.close());
  });
  await movePatiently(finished, target);
  await flushFolder(target);
}

/** Like `replaceFile`; blocks the thread meanwhile. */
export function replaceFileSync(finished: string, target: string): void {
  retryWhileHeldSync({ path: finished, action: 'open' }, () => flushSync(finished, 'r+'));
  movePatientlySync(finished, target);
  flushFolderSync(target);
}

/** The file is complete under its name already, and not every system can open a folder. */
async function flushFolder(path: string): Promise<void> {
  try {
    const handle = await open(dirname(path), 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // As above.
  }
}

function flushFolderSync(path: string): void {
  try {
    flushSync(dirname(path), 'r');
  } catch {
    // As above.
  }
}

function flushSync(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
