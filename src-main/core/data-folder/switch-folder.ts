import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { claimFolder } from '../../node/claim-folder.ts';
import { removePatiently } from '../../node/move-and-remove.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';
import { isLeftBehind } from './copy-folder.ts';
import { toRealPath } from './check-target.ts';
import { ID_FILE, readLocation, writeLocation, type Copied } from './location-file.ts';

/**
 * Uses `folder` from the next start on, and remembers `before` as the previous one. The write of one file decides it:
 * until then the previous folder is in use.
 */
export async function switchFolder(
  defaultFolder: string,
  folder: string,
  before: Copied,
  now: () => number,
): Promise<void> {
  const previous = { ...before, leftAtMs: now() };
  if (toRealPath(folder) === toRealPath(defaultFolder)) {
    await writeLocation(defaultFolder, { version: 1, chosen: null, previous, unfinished: null });
    return;
  }
  const id = randomUUID();
  await writeFileAtomically(join(folder, ID_FILE), `${id}\n`);
  await writeLocation(defaultFolder, { version: 1, chosen: { folder, id }, previous, unfinished: null });
}

/**
 * Deletes what was copied to or from a folder, and what only its process needed; the folder too where nothing else is in
 * it, unless it is the standard one. Throws AppError `cache.locked` while another process has it open.
 */
export async function removeCopied({ folder, names }: Copied, defaultFolder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const isDefault = toRealPath(folder) === toRealPath(defaultFolder);
  const release = claimFolder(folder);
  try {
    for (const name of names) await removePatiently(join(folder, name), { isFolder: true });
  } finally {
    release();
  }
  if (isDefault) return;
  for (const name of await readdir(folder)) {
    if (isLeftBehind(name)) await removePatiently(join(folder, name), { isFolder: true });
  }
  if ((await readdir(folder)).length === 0) await removePatiently(folder, { isFolder: true });
}

/** Forgets the copy that was cut short, once it is removed. */
export async function forgetUnfinished(defaultFolder: string): Promise<void> {
  await writeLocation(defaultFolder, { ...readLocation(defaultFolder), unfinished: null });
}
