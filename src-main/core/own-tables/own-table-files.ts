import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnRows } from '../../common/model/connections/own-table.ts';
import { tryToRemove } from '../../node/move-and-remove.ts';
import { makePrivateFolder } from '../../node/private-files.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';
import type { OwnTableSource } from '../analysis/engine/own-values.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import type { Logger } from '../logging/logger.ts';

/** The rows of tables, a JSON file for each in a folder of the data folder. */
export interface OwnTableFiles {
  write(tableId: string, rows: OwnRows): Promise<void>;
  has(tableId: string): boolean;
  /** Rejects with the system's error where there is no file. */
  read(tableId: string): Promise<OwnRows>;
  /** The tables of a connection that have their file. */
  list(connection: SavedConnection): OwnTableSource[];
}

/** Opens the folder; files of tables that no connection has any more are removed. */
export async function openOwnTableFiles(options: {
  readonly dataFolder: string;
  readonly connections: readonly SavedConnection[];
  readonly logger: Logger;
}): Promise<OwnTableFiles> {
  const { dataFolder, connections, logger } = options;
  const folder = join(dataFolder, 'own-tables');
  const toFile = (tableId: string): string => join(folder, `${tableId}.json`);
  makePrivateFolder(folder);
  const known = new Set(connections.flatMap(({ tables = [] }) => tables.map(({ id }) => `${id}.json`)));
  for (const name of await readdir(folder)) {
    if (known.has(name) || !name.endsWith('.json')) continue;
    await tryToRemove(join(folder, name), (error) => logger.warn('own table not removed', { error }));
  }
  return {
    write: (tableId, rows) => writeFileAtomically(toFile(tableId), JSON.stringify(rows)),
    has: (tableId) => existsSync(toFile(tableId)),
    read: async (tableId) => JSON.parse(await readFile(toFile(tableId), 'utf8')) as OwnRows,
    list: ({ tables = [] }) =>
      tables.map((table) => ({ ...table, file: toFile(table.id) })).filter(({ file }) => existsSync(file)),
  };
}
