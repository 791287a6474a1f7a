import { readFile } from 'node:fs/promises';
import { retryWhileHeld } from '../../node/retry-while-held.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';
import { keepAside, readJsonFileOrKeepAside } from './json-file.ts';

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
