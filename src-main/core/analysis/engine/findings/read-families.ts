import type { DuckDBConnection } from '@duckdb/node-api';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { DAY_MS, MINUTE_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { MIN_PART_RECORDS, type FamilyCell } from '../../findings/judge-families.ts';
import { readRows } from '../engine-database.ts';
import { toSourceSql, type ResolvedScope } from '../resolved-scope.ts';

const MAX_FAMILIES = 50;

type Row = [
  pattern: string,
  direction: Direction,
  channel: number | null,
  service: number | null,
  minute: number,
  count: number,
];

/** How often each pattern of errors came in a day. */
export type FamilyCounts = ReadonlyMap<string, number>;

/** Counts the patterns of errors on each day (UTC) of a span. */
export async function readFamilyDays(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { fromMs, toMs }: TimeSpan,
): Promise<ReadonlyMap<number, FamilyCounts>> {
  const source = toSourceSql(scope, ['error_pattern', `date_ms // ${DAY_MS} AS day`], {
    sql: `error_pattern <> '' AND date_ms >= ${fromMs} AND date_ms < ${toMs}`,
    values: [],
  });
  const rows = await readRows<[day: number, pattern: string, count: number]>(
    connection,
    `SELECT day, error_pattern, count(*) FROM ${source} GROUP BY ALL`,
  );
  const days = Map.groupBy(rows, ([day]) => day);
  return new Map(
    [...days].map(([day, own]) => [day, new Map(own.map(([, pattern, count]) => [pattern, count]))]),
  );
}

/** Of the patterns of a window those that came often in it and not before, the most frequent first. */
export function listNewFamilies(before: readonly FamilyCounts[], window: readonly FamilyCounts[]): string[] {
  const counts = new Map<string, number>();
  for (const day of window)
    for (const [pattern, count] of day) counts.set(pattern, (counts.get(pattern) ?? 0) + count);
  return [...counts]
    .filter(([pattern, count]) => count >= MIN_PART_RECORDS && !before.some((day) => day.has(pattern)))
    .sort(([one, count], [other, otherCount]) => otherCount - count || (one < other ? -1 : 1))
    .slice(0, MAX_FAMILIES)
    .map(([pattern]) => pattern);
}

/** Returns the minutes of some patterns of errors in a window. */
export async function readFamilyCells(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  window: TimeSpan,
  patterns: readonly string[],
): Promise<FamilyCell[]> {
  if (patterns.length === 0) return [];
  const columns = ['error_pattern', 'date_ms', 'channel', 'service'];
  const list = patterns.map((_pattern, place) => `$${place + 1}`).join(', ');
  const toSql = (scope: ResolvedScope): string => {
    const source = toSourceSql(scope, columns, {
      sql: `error_pattern IN (${list}) AND date_ms >= ${window.fromMs} AND date_ms < ${window.toMs}`,
      values: [],
    });
    return `SELECT *, '${scope.direction}' AS direction FROM ${source}`;
  };
  const rows = await readRows<Row>(
    connection,
    `SELECT error_pattern, direction, channel, service, (date_ms - ${window.fromMs}) // ${MINUTE_MS} AS minute, count(*)
     FROM (${scopes.map(toSql).join(' UNION ALL ')}) GROUP BY ALL`,
    patterns,
  );
  return rows.map(([pattern, direction, channel, service, minute, count]) => ({
    pattern,
    direction,
    channel,
    service,
    minute,
    count,
  }));
}
