import type { DuckDBConnection } from '@duckdb/node-api';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../../../common/time/durations.ts';
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

/** Returns the minutes of the most frequent error patterns of a window that came in none of its scopes before. */
export async function readNewFamilies(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  window: TimeSpan,
): Promise<FamilyCell[]> {
  const columns = ['error_pattern', 'date_ms', 'channel', 'service'];
  const toSql = (scope: ResolvedScope): string => {
    const source = toSourceSql(scope, columns, {
      sql: `error_pattern <> '' AND date_ms < ${window.toMs}`,
      values: [],
    });
    return `SELECT *, '${scope.direction}' AS direction FROM ${source}`;
  };
  const rows = await readRows<Row>(
    connection,
    `WITH failing AS MATERIALIZED (${scopes.map(toSql).join(' UNION ALL ')}), fresh AS (
       SELECT error_pattern FROM failing GROUP BY error_pattern
       HAVING min(date_ms) >= ${window.fromMs} AND count(*) >= ${MIN_PART_RECORDS}
       ORDER BY count(*) DESC, error_pattern LIMIT ${MAX_FAMILIES}
     )
     SELECT error_pattern, direction, channel, service, (date_ms - ${window.fromMs}) // ${MINUTE_MS} AS minute, count(*)
     FROM failing WHERE error_pattern IN (FROM fresh) GROUP BY ALL`,
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
