import { statSync } from 'node:fs';
import { sep } from 'node:path';

/** Folders that are in use, by their paths, and what the system calls them: another folder may come to have the name. */
const held = new Map<string, string>();

/** Notes that a folder is in use, until the returned function is called. */
export function holdFolder(folder: string): () => void {
  const place = readPlace(folder);
  if (place !== null) held.set(folder, place);
  return () => void held.delete(folder);
}

/** True for a file in a folder in use that was removed meanwhile, or is another one by now. */
export function isFolderGone(file: string): boolean {
  return [...held].some(
    ([folder, place]) => file.startsWith(folder + sep) && readPlace(folder, place) !== place,
  );
}

/** What tells a file or folder from any other; null where none has the name, `otherwise` where the system doesn't say. */
export function readPlace(path: string, otherwise: string | null = null): string | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? null : `${found.dev}:${found.ino}`;
  } catch {
    return otherwise;
  }
}
