import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { Connection } from '../../common/model/connection.ts';
import { ValueNames } from '../../common/model/value-name.ts';
import type { Logger } from '../logging/logger.ts';
import { readJsonFileOrKeepAside, writeJsonFile } from '../settings/json-file.ts';

/** A connection as it is saved: everything but where its secrets are, and never a secret. */
export const SavedConnection = Type.Omit(Connection, ['secrets']);
export type SavedConnection = Static<typeof SavedConnection>;

/** Reads and writes the list of saved connections. */
export interface ConnectionFile {
  load(): Promise<SavedConnection[]>;
  save(connections: readonly SavedConnection[]): Promise<void>;
}

/** The list lies in `connections.json`; an entry that does not fit is left out and named in the log. */
export function createConnectionFile(folder: string, now: () => number, logger: Logger): ConnectionFile {
  const path = join(folder, 'connections.json');
  return {
    load: async () => {
      const saved = await readJsonFileOrKeepAside(path, now(), (keptAs) =>
        logger.error('connections damaged', { keptAs }),
      );
      const entries: unknown[] = Array.isArray(saved) ? saved : [];
      return entries.map(withoutUnfitNames).filter((entry): entry is SavedConnection => {
        const fits = Value.Check(SavedConnection, entry);
        if (!fits) logger.error('connection left out', {});
        return fits;
      });
    },
    save: (connections) => writeJsonFile(path, connections),
  };
}

/** Names that don't fit cost no connection. */
function withoutUnfitNames(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null || !('names' in entry)) return entry;
  const { names, ...rest } = entry;
  return Value.Check(ValueNames, names) ? entry : rest;
}
