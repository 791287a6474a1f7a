import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { writeFileAtomicallySync } from '../../node/write-file-atomically.ts';

const FILE_NAME = 'recent-connections.json';
/** How many systems show in such lists. */
const MAX_RECENT = 8;
/** The order of a list is nothing to wait for. */
const MAX_WAIT_MS = 200;

const Ids = Type.Array(Type.String({ maxLength: 100 }), { maxItems: MAX_RECENT });

/** The connections that a person worked with, the last one first. */
export interface RecentConnections {
  /** Returns those of `all` that were used, up to eight; others fill what is left, in their order. */
  sort<Named extends { readonly id: string }>(all: readonly Named[]): Named[];
  /** Puts a connection first, for the next start too; false where it was. */
  use(id: string): boolean;
}

/** Reads which connections were used last from a data folder; a file that can't be read counts as none. */
export function openRecentConnections(folder: string): RecentConnections {
  const path = join(folder, FILE_NAME);
  let ids = read(path);
  return {
    sort(all) {
      const used = ids.flatMap((id) => all.filter((one) => one.id === id));
      return [...new Set([...used, ...all])].slice(0, MAX_RECENT);
    },
    use(id) {
      if (ids[0] === id) return false;
      ids = [id, ...ids.filter((other) => other !== id)].slice(0, MAX_RECENT);
      try {
        writeFileAtomicallySync(path, JSON.stringify(ids), MAX_WAIT_MS);
      } catch {
        // A full disk: the order lasts until the application ends.
      }
      return true;
    },
  };
}

function read(path: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Value.Check(Ids, kept) ? kept : [];
  } catch {
    return [];
  }
}
