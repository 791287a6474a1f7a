import type { DuckDBConnection } from '@duckdb/node-api';
import type { SummaryGroup } from '../../../common/model/records/summary.ts';
import { readRows } from './engine-database.ts';
import { toAverageSql } from './measures/times-sql.ts';
import { toSourceSql, type ResolvedScope } from './resolved-scope.ts';

/**
 * Groups records as the service groups them: inbound by channel, service, origin and code, outbound by channel,
 * service and code; the largest group first. Averages leave out records without the figure; the session is that of the
 * newest request (decision 12).
 */
export async function summariseRecords(
  connection: DuckDBConnection,
  scope: ResolvedScope,
): Promise<SummaryGroup[]> {
  const isInbound = scope.direction === 'inbound';
  const columns = [
    'record_id',
    'date_ms',
    'channel',
    'service',
    'origin',
    'response_code',
    'response_time_ms',
  ];
  const source = toSourceSql(scope, [...columns, 'session_id', ...(isInbound ? ['bot_latency_ms'] : [])], {
    sql: 'true',
    values: [],
  });
  const rows = await readRows<
    [number | null, number | null, string | null, number | null, number, number | null, number | null, string]
  >(
    connection,
    `SELECT channel, service, ${isInbound ? 'origin' : 'NULL'} AS group_origin, response_code, count(*) AS records,
       ${toAverageSql('response_time_ms')}, ${isInbound ? toAverageSql('bot_latency_ms') : 'NULL'},
       arg_max(session_id, (coalesce(date_ms, -9007199254740991), record_id))
     FROM ${source} GROUP BY channel, service, group_origin, response_code
     ORDER BY records DESC, channel NULLS FIRST, service NULLS FIRST, group_origin, response_code NULLS FIRST`,
  );
  return rows.map(([channel, service, origin, responseCode, count, responseMs, latencyMs, sessionId]) => ({
    channel,
    service,
    origin,
    responseCode,
    count,
    averageResponseTimeMs: responseMs,
    averageBotLatencyMs: latencyMs,
    sessionId,
  }));
}
