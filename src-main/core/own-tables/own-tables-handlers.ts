import { randomUUID } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import { MAX_OWN_TABLES, toOwnSqlName, type OwnTable } from '../../common/model/connections/own-table.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { OwnTableFiles } from './own-table-files.ts';
import { readTable, toOwnRows } from './read-table.ts';

const SHOWN_ROWS = 5;

/** The handlers of `own-tables/…`. */
export function createOwnTablesHandlers(parts: {
  readonly connections: Pick<ConnectionStore, 'saveTables'>;
  readonly ownTableFiles: OwnTableFiles;
  now(): number;
}): HandlersOf<'own-tables'> {
  const { connections, ownTableFiles: files, now } = parts;
  return {
    'own-tables/read-file': ({ text }) => {
      const { columns, rows } = readTable(text);
      return {
        columns: [...columns],
        rowCount: rows.length,
        rows: rows.slice(0, SHOWN_ROWS).map((row) => [...row]),
      };
    },
    'own-tables/save': async ({ connectionId, tableId, name, field, keyColumn, text }) => {
      const { columns, rows } = toOwnRows(readTable(text), keyColumn);
      const id = randomUUID();
      const table: OwnTable = {
        id,
        name: name.trim(),
        field,
        columns,
        rowCount: rows.length,
        savedAtMs: now(),
      };
      await files.write(id, rows);
      return connections.saveTables(connectionId, (tables) => put(tables, tableId, table));
    },
    'own-tables/remove': ({ connectionId, tableId }) =>
      connections.saveTables(connectionId, (tables) => {
        if (!tables.some(({ id }) => id === tableId)) throw notFound();
        return tables.filter(({ id }) => id !== tableId);
      }),
    'own-tables/restore': ({ connectionId, table }) => {
      if (!files.has(table.id)) throw notFound();
      return connections.saveTables(connectionId, (tables) => put(tables, null, table));
    },
  };
}

/** A table that is replaced has rows, and an id, of its own: what reads the ones before isn't disturbed. */
function put(tables: readonly OwnTable[], tableId: string | null, table: OwnTable): readonly OwnTable[] {
  if (tableId !== null && !tables.some(({ id }) => id === tableId)) throw notFound();
  const others = tables.filter(({ id }) => id !== tableId && id !== table.id);
  const isSame = ({ name }: OwnTable): boolean => toOwnSqlName(name, '') === toOwnSqlName(table.name, '');
  if (others.some(isSame))
    throw new AppError('own-tables.name-taken', 'Another table has this name.', { name: table.name });
  if (others.length >= MAX_OWN_TABLES)
    throw new AppError('own-tables.too-many', `At most ${MAX_OWN_TABLES} tables are kept.`, {
      most: MAX_OWN_TABLES,
    });
  if (tableId === null) return [...others, table];
  return tables.map((own) => (own.id === tableId ? table : own));
}

function notFound(): AppError {
  return new AppError('own-tables.not-found', 'There is no such table.');
}
