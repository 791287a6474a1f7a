import type { DuckDBConnection } from '@duckdb/node-api';
import { SECOND_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { ReconcilableGroup } from '../../reconcile/find-differences.ts';
import { readRows } from '../engine-database.ts';
import { NO_CONDITION } from '../filter-sql.ts';
import { toSourceSql, type ResolvedScope } from '../resolved-scope.ts';
import { toAverageSql } from './times-sql.ts';

/**
 * Groups records as the service groups them, with what may make its figures differ: how many lie in the first and the
 * last second of [fromMs, toMs), are dated from `reportedAtMs` on, or have no date that can be read.
 */
export async function groupForReconciling(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { fromMs, toMs, reportedAtMs }: TimeSpan & { reportedAtMs: number },
): Promise<ReconcilableGroup[]> {
  const isInbound = scope.direction === 'inbound';
  const origin = isInbound ? 'origin' : 'NULL::VARCHAR AS origin';
  const latency = isInbound ? 'bot_latency_ms' : 'NULL::DOUBLE AS bot_latency_ms';
  const columns = ['date_ms', 'channel', 'service', origin, 'response_code', 'response_time_ms', latency];
  type Key = [
    channel: number | null,
    service: number | null,
    origin: string | null,
    responseCode: number | null,
  ];
  type Averages = [responseMs: number | null, timed: number, latencyMs: number | null, latencyTimed: number];
  type Edges = [first: number, last: number, later: number, undated: number];
  const rows = await readRows<[...Key, number, ...Averages, ...Edges]>(
    connection,
    `SELECT channel, service, origin, response_code, count(*),
       ${toAverageSql('response_time_ms')}, count(response_time_ms), ${toAverageSql('bot_latency_ms')}, count(bot_latency_ms),
       count(*) FILTER (date_ms < ${fromMs + SECOND_MS}), count(*) FILTER (date_ms >= ${toMs - SECOND_MS}),
       count(*) FILTER (date_ms >= ${reportedAtMs}), count(*) FILTER (date_ms IS NULL)
     FROM ${toSourceSql(scope, columns, NO_CONDITION)}
     GROUP BY channel, service, origin, response_code`,
  );
  return rows.map(
    ([
      channel,
      service,
      group,
      responseCode,
      count,
      responseMs,
      timed,
      latencyMs,
      latencyTimed,
      ...edges
    ]) => ({
      channel,
      service,
      origin: group,
      responseCode,
      count,
      averageResponseTimeMs: responseMs,
      averageBotLatencyMs: latencyMs,
      untimed: {
        averageResponseTimeMs: count - timed,
        averageBotLatencyMs: isInbound ? count - latencyTimed : 0,
      },
      firstSecond: edges[0],
      lastSecond: edges[1],
      later: edges[2],
      undated: edges[3],
    }),
  );
}
