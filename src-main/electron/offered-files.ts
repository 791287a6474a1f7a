import { randomUUID } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import type { ImportFile } from '../core/host.ts';

/** Offers that are remembered: the person imports one of the newest, or none. */
const MAX_OFFERS = 20;

/** Files that a person dropped on the window or opened: an operation names them by an id, never by a path. */
export interface OfferedFiles {
  /** Takes the path of a file, and returns the id that stands for it; null for what is no path. */
  offer(path: unknown): string | null;
  /** The file of that id, again where its import failed; null for one that isn't known, or no longer. */
  find(id: string): ImportFile | null;
}

/** Makes an empty register. */
export function createOfferedFiles(): OfferedFiles {
  const paths = new Map<string, string>();
  return {
    offer(path) {
      if (typeof path !== 'string' || !isAbsolute(path)) return null;
      const id = randomUUID();
      paths.set(id, path);
      for (const old of [...paths.keys()].slice(0, -MAX_OFFERS)) paths.delete(old);
      return id;
    },
    find(id) {
      const path = paths.get(id);
      if (path === undefined) return null;
      // The user's own file stays where it is.
      return { path, name: basename(path), release: () => Promise.resolve() };
    },
  };
}
