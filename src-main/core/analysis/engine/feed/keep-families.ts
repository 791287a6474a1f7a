import type { DuckDBConnection } from '@duckdb/node-api';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { createFamilyLearner, type ErrorFamilyLearner } from '../../families/learn-families.ts';
import { readRows, toTypes } from '../engine-database.ts';

/** The families of errors in a direction's table, and the patterns that belong to each. */
export interface KeptFamilies {
  /** Returns the family of an error as far as it is known now; empty for an empty text. */
  find(text: string): string;
  /**
   * Compares what is new, and writes patterns and families within the transaction that is open; records whose family
   * turned out to be part of another one get that one. Returns whether there were any.
   */
  keep(): Promise<boolean>;
  /** Goes back to what is written: for after a transaction that was rolled back. */
  reload(): Promise<void>;
  /** Frees what makes feeding many records fast. */
  rest(): void;
}

/** Rows that are written by one statement. */
const ROWS_AT_ONCE = 500;

/** Loads the families that were found in earlier batches. */
export async function loadFamilies(
  connection: DuckDBConnection,
  direction: Direction,
): Promise<KeptFamilies> {
  let learner: ErrorFamilyLearner = createFamilyLearner();
  let written = new Map<string, string>();

  const reload = async (): Promise<void> => {
    const rows = await readRows<[pattern: string, family: string]>(
      connection,
      'SELECT pattern, family FROM error_families WHERE direction = $1 ORDER BY place',
      [direction],
    );
    written = new Map(rows);
    learner = createFamilyLearner(rows.map(([pattern, family]) => ({ pattern, family })));
  };
  await reload();

  return {
    find: (text) => learner.find(text),
    async keep() {
      if (!learner.settle()) return false;
      const added: [pattern: string, family: string, place: number][] = [];
      const moved: [from: string, family: string][] = [];
      const joined: [pattern: string, family: string][] = [];
      for (const { pattern, family } of learner.list()) {
        const before = written.get(pattern);
        if (before === family) continue;
        written.set(pattern, family);
        if (before === undefined) added.push([pattern, family, written.size]);
        else joined.push([pattern, family]);
        if (pattern !== family) moved.push([before ?? pattern, family]);
      }
      await forRows(added, (values) =>
        run(connection, `INSERT INTO error_families SELECT '${direction}', * FROM (${values.sql})`, values),
      );
      await forRows(joined, (values) =>
        run(
          connection,
          `UPDATE error_families SET family = moved.b FROM (${values.sql}) moved
           WHERE direction = '${direction}' AND pattern = moved.a`,
          values,
        ),
      );
      await forRows(moved, (values) =>
        run(
          connection,
          `UPDATE ${direction} SET error_pattern = moved.b FROM (SELECT DISTINCT a, b FROM (${values.sql})) moved
           WHERE error_pattern = moved.a`,
          values,
        ),
      );
      return moved.length > 0;
    },
    reload,
    rest: () => learner.forgetTexts(),
  };
}

interface Values {
  /** Selects the rows, in columns `a`, `b` …. */
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

async function forRows(
  rows: readonly (readonly (string | number)[])[],
  write: (values: Values) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const values: (string | number)[] = [];
    const listed = rows
      .slice(at, at + ROWS_AT_ONCE)
      .map((row) => `(${row.map((value) => `$${values.push(value)}`).join(', ')})`);
    const width = rows[at]?.length ?? 0;
    const names = Array.from({ length: width }, (_none, place) => String.fromCharCode(97 + place));
    await write({ sql: `FROM (VALUES ${listed.join(', ')}) AS listed(${names.join(', ')})`, values });
  }
}

async function run(connection: DuckDBConnection, sql: string, { values }: Values): Promise<void> {
  await connection.run(sql, [...values], toTypes(values));
}
