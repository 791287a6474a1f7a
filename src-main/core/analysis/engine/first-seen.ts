import type { DuckDBConnection } from '@duckdb/node-api';
import { DAY_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { readRows } from './engine-database.ts';
import { toSourceSql, type ResolvedScope } from './resolved-scope.ts';

/** So long before a longer period is enough to tell what is new in it. */
const ENOUGH_MS = 7 * DAY_MS;

/**
 * Finds those of some families of errors that no record before a period has. None where the records don't go back as long
 * before it as it lasts, or a week: what isn't cached may have had all of them.
 */
export async function findFirstSeen(
  connection: DuckDBConnection,
  all: ResolvedScope,
  { fromMs, toMs }: TimeSpan,
  patterns: readonly string[],
): Promise<string[]> {
  const before = toSourceSql(all, ['error_pattern', 'date_ms'], { sql: `date_ms < ${fromMs}`, values: [] });
  const [[firstMs] = [null]] = await readRows<[number | null]>(
    connection,
    `SELECT min(date_ms) FROM ${before}`,
  );
  const isKnown = firstMs !== null && firstMs <= fromMs - Math.min(toMs - fromMs, ENOUGH_MS);
  if (patterns.length === 0 || !isKnown) return [];
  const listed = patterns.map((_, place) => `$${place + 1}`).join(', ');
  const rows = await readRows<[string]>(
    connection,
    `SELECT DISTINCT error_pattern FROM ${before} WHERE error_pattern IN (${listed})`,
    [...patterns],
  );
  const known = new Set(rows.map(([pattern]) => pattern));
  return patterns.filter((pattern) => !known.has(pattern));
}
