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

/** Runs work one after the other, whether what was before succeeded or not. */
export function createSaveQueue(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  };
}

/** A document as it was saved, and the version that wrote it. */
interface VersionedDocument {
  readonly saved: unknown;
  readonly version: number;
}

interface VersionedFile {
  readonly path: string;
  /** The version that is written now. */
  readonly version: number;
  /** Returns the version of what was read; null for anything but such a document. */
  findVersion(saved: unknown): number | null;
  now(): number;
  /** Called with the new path of a file that can't be used and was moved aside. */
  onDamage(keptAs: string): void;
}

/**
 * Reads a document that other versions of the application may have written; null where there is none to use. A file of
 * another version is copied to `<path>.v<version>.backup`, because the next save replaces it. A file that is damaged,
 * or no such document, is moved aside.
 */
export async function readVersionedFile(file: VersionedFile): Promise<VersionedDocument | null> {
  const { path } = file;
  const saved = await readJsonFileOrKeepAside(path, file.now(), file.onDamage);
  if (saved === undefined) return null;
  const version = file.findVersion(saved);
  if (version === null) {
    file.onDamage(await keepAside(path, file.now()));
    return null;
  }
  if (version !== file.version) {
    const before = await retryWhileHeld({ path, action: 'open' }, () => readFile(path));
    await writeFileAtomically(`${path}.v${String(version)}.backup`, before);
  }
  return { saved, version };
}
