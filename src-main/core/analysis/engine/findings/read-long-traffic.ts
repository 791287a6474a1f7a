import type { DuckDBConnection } from '@duckdb/node-api';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { LongCells } from '../../findings/long-incidents.ts';
import { LONG_SLOT_MS } from '../../findings/long-series.ts';
import { FAILED_SQL } from '../engine-tables.ts';
import { toSourceSql, type ResolvedScope } from '../resolved-scope.ts';
import { readColumns } from './read-traffic.ts';

const TIMED_SQL = `NOT ${FAILED_SQL} AND response_time_ms >= 0`;

/** Returns how many requests each channel and service had in each half hour of a span, and how long they took. */
export async function readLongTraffic(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { fromMs, toMs }: TimeSpan,
): Promise<LongCells> {
  const columns = [
    'channel',
    'service',
    `date_ms // ${LONG_SLOT_MS} AS slot`,
    `CASE WHEN ${TIMED_SQL} THEN ln(1 + response_time_ms) END AS log_time`,
  ];
  const source = toSourceSql(scope, columns, {
    sql: `date_ms >= ${fromMs} AND date_ms < ${toMs}`,
    values: [],
  });
  const [channels, services, slots, requests, timed, logTimes] = await readColumns(
    connection,
    `SELECT coalesce(channel::DOUBLE, 'NaN'::DOUBLE), coalesce(service::DOUBLE, 'NaN'::DOUBLE), slot::DOUBLE,
       count(*)::DOUBLE, count(log_time)::DOUBLE, coalesce(sum(log_time), 0)::DOUBLE
     FROM ${source} GROUP BY channel, service, slot`,
    6,
  );
  const none = new Float64Array();
  return {
    channels: channels ?? none,
    services: services ?? none,
    slots: slots ?? none,
    requests: requests ?? none,
    timed: timed ?? none,
    logTimes: logTimes ?? none,
  };
}
