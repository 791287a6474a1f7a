import { readFile } from 'node:fs/promises';
import { AppError } from '../../common/contract/errors.ts';
import { isFolderGone } from '../../node/held-folders.ts';
import { movePatiently } from '../../node/move-and-remove.ts';
import { retryWhileHeld } from '../../node/retry-while-held.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';

/** A document that could not be read as JSON; its file stays as it is. */
class DamagedDocument extends Error {
  override readonly name = 'DamagedDocument';
}

/** Reads a JSON document; undefined when there is none. Throws DamagedDocument when it is not JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await retryWhileHeld({ path, action: 'open' }, () => readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new DamagedDocument(`Not JSON: ${path}`, { cause: error });
  }
}

/**
 * Writes a JSON document so that a crash leaves either the old or the new one, readable by its owner only. Throws
 * `cache.folder-gone` where the data folder was removed or replaced: what is written there is lost, or somebody else's.
 */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  if (isFolderGone(path)) throw new AppError('cache.folder-gone', 'The data folder is gone.', { file: path });
  await writeFileAtomically(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Reads a document; a damaged one is moved aside, never deleted, and counts as none. */
export async function readJsonFileOrKeepAside(
  path: string,
  nowMs: number,
  tell: (keptAs: string) => void,
): Promise<unknown> {
  try {
    return await readJsonFile(path);
  } catch (error) {
    if (!(error instanceof DamagedDocument)) throw error;
    tell(await keepAside(path, nowMs));
    return undefined;
  }
}

/** Moves a file that can't be used aside; returns its new path. */
export async function keepAside(path: string, nowMs: number): Promise<string> {
  const keptAs = `${path}.damaged-${String(nowMs)}`;
  await movePatiently(path, keptAs);
  return keptAs;
}
