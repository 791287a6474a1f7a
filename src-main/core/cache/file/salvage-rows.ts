import type { Database } from '../../../node/open-database.ts';
import { findErrorCode } from '../../../node/error-text.ts';
import { isDamage, toCacheError } from './to-cache-error.ts';

/** A row of any table, by the names of its columns. */
export type AnyRow = Record<string, unknown>;

/** Reads rows of a damaged file; null where SQLite finds the damage on the way. */
export function readRows(source: Database, sql: string, ...values: number[]): AnyRow[] | null {
  try {
    return source.prepare<number[], AnyRow>(sql).all(...values);
  } catch (error) {
    if (isDamage(toCacheError(error))) return null;
    throw error;
  }
}

/**
 * Reads a table in the order of its key: of one with damage in it, what lies before the first place that can't be read,
 * and what lies behind the last one.
 */
export function readAround(source: Database, table: string, key: readonly string[]): AnyRow[] {
  const before = readWhile(source, `SELECT * FROM ${table} ORDER BY ${key.join(', ')}`);
  if (before.isWhole) return before.rows;
  const backwards = key.map((column) => `${column} DESC`).join(', ');
  return [...before.rows, ...readWhile(source, `SELECT * FROM ${table} ORDER BY ${backwards}`).rows];
}

function readWhile(source: Database, sql: string): { readonly rows: AnyRow[]; readonly isWhole: boolean } {
  const rows: AnyRow[] = [];
  try {
    for (const row of source.prepare<[], AnyRow>(sql).iterate()) rows.push(row);
    return { rows, isWhole: true };
  } catch (error) {
    if (isDamage(toCacheError(error))) return { rows, isWhole: false };
    throw error;
  }
}

/** Prepares the writing of rows as they were; throws SqliteErrors of rows that break a rule of the schema. */
export function createRowInserter(target: Database): (table: string, row: AnyRow) => void {
  const statements = new Map<string, ReturnType<Database['prepare']>>();
  return (table, row) => {
    const columns = Object.keys(row).join(', ');
    const key = `${table} (${columns})`;
    const statement =
      statements.get(key) ??
      target.prepare(`INSERT INTO ${key} VALUES (${columns.replaceAll(/\w+/g, (name) => `@${name}`)})`);
    statements.set(key, statement);
    statement.run(row);
  };
}

/** Damaged rows may break a rule of the schema, such as a type or a key that is there twice. */
export function isConstraint(error: unknown): boolean {
  return findErrorCode(error)?.startsWith('SQLITE_CONSTRAINT') === true;
}
