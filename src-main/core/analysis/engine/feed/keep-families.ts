import type { DuckDBConnection } from '@duckdb/node-api';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { createFamilyLearner, type ErrorFamilyLearner } from '../../families/learn-families.ts';
import { readRows } from '../engine-database.ts';

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
}

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
      learner.settle();
      let isChanged = false;
      for (const { pattern, family } of learner.list()) {
        const before = written.get(pattern);
        if (before === family) continue;
        written.set(pattern, family);
        if (before === undefined) {
          await connection.run('INSERT INTO error_families VALUES ($1, $2, $3, $4)', [
            direction,
            pattern,
            family,
            written.size,
          ]);
        } else {
          await connection.run(
            'UPDATE error_families SET family = $1 WHERE direction = $2 AND pattern = $3',
            [family, direction, pattern],
          );
        }
        if (pattern === family) continue;
        await connection.run(`UPDATE ${direction} SET error_pattern = $1 WHERE error_pattern = $2`, [
          family,
          before ?? pattern,
        ]);
        isChanged = true;
      }
      return isChanged;
    },
    reload,
  };
}
