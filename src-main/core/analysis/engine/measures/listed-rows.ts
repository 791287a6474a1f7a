import { DuckDBListVector, type DuckDBConnection } from '@duckdb/node-api';
import { toPlain, toTypes } from '../engine-database.ts';
import type { BoundValue } from '../filter-sql.ts';
import type { CountedValues } from './ranked-values.ts';

/**
 * Values of a table that are kept once with their counts are listed to be ranked here up to so many: a list takes less
 * time than sorting in a statement, but has to fit into memory.
 */
export const MAX_LISTED_VALUES = 1_000_000;

/** The times of so many records are listed as they are: counting equal ones first takes longer. */
export const MAX_LISTED_RECORDS = 400_000;

/** Two columns that list the values of `value`, which may be null, with the counts in `records`. */
export const LISTS_SQL =
  'list(value) FILTER (value IS NOT NULL) AS listed, list(records::DOUBLE) FILTER (value IS NOT NULL) AS counts';

/**
 * Keeps what a statement selects as a table of the connection, so that it is there for several statements, and returns the
 * number of its rows.
 */
export async function makeCells(
  connection: DuckDBConnection,
  table: string,
  sql: string,
  values: readonly BoundValue[],
): Promise<number> {
  const text = `CREATE OR REPLACE TEMP TABLE ${table} AS ${sql}`;
  const reader = await connection.runAndReadAll(text, [...values], toTypes(values));
  return Number(reader.getRows()[0]?.[0] ?? 0);
}

const EMPTY = new Float64Array();

/** Cells of a row, whole numbers as numbers; lists, which must be of DOUBLE, as arrays of their own. */
export type ListedRow = readonly (number | string | boolean | null | Float64Array)[];

/** Reads a result whose cells are plain or lists of DOUBLE. */
export async function readListedRows(
  connection: DuckDBConnection,
  sql: string,
  values: readonly BoundValue[] = [],
): Promise<ListedRow[]> {
  const result = await connection.stream(sql, [...values], toTypes(values));
  const rows: ListedRow[] = [];
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return rows;
    const vectors = Array.from({ length: chunk.columnCount }, (_none, place) => chunk.getColumnVector(place));
    for (let row = 0; row < chunk.rowCount; row += 1) {
      rows.push(
        vectors.map((vector) => {
          if (!(vector instanceof DuckDBListVector)) return toPlain(vector.getItem(row)) as ListedRow[number];
          const items = vector.getItemVector(row) as unknown as { items: Float64Array } | null;
          return items?.items ?? null;
        }),
      );
    }
  }
}

/** Returns what the columns of LISTS_SQL hold; null where a row has none. Without counts each value occurs once. */
export function toCounted(values: unknown, counts: unknown): CountedValues {
  return {
    values: values instanceof Float64Array ? values : EMPTY,
    counts: counts instanceof Float64Array ? counts : null,
  };
}
