import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { NO_ACTION, type PlaceField } from '../../../../common/model/analysis/finding.ts';
import { DAY_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { LongCells } from '../../findings/long-incidents.ts';
import { MIN_SHORT_TIMED, SHORT_SLOT_MS, SHORT_SLOTS } from '../../findings/long-series.ts';
import { NO_CELLS, type TrafficCells } from '../../findings/traffic-cells.ts';
import { FAILED, UNTIMED } from '../../findings/traffic-grid.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL, findColumn } from '../engine-tables.ts';
import { type ResolvedScope, toSourceSql } from '../resolved-scope.ts';

/** The values of a field on a day by the numbers that stand for them: at most one more than there may be places. */
export type ValuesOfDay = ReadonlyMap<number, string>;

/** What tells the flows of cells apart: two columns of numbers. */
export interface FlowSql {
  readonly channel: string;
  readonly service: string;
}

export const FLOW_SQL: FlowSql = { channel: 'channel', service: 'service' };

/** Times from 2^31 ms on count as the same. */
const MAX_KIND = 62;
const KIND_SQL = `CASE
  WHEN ${FAILED_SQL} THEN ${FAILED}
  WHEN response_time_ms IS NULL OR response_time_ms < 0 THEN ${UNTIMED}
  ELSE least(${MAX_KIND}, floor(2 * log2(response_time_ms + 1)))
END`;

const LATE_SQL = `least(${MAX_KIND}, floor(2 * log2(bot_latency_ms + 1)))`;

/** More values of a field than these are no places. */
export const MAX_VALUES = 200;

/** The number that stands for a value of a field; null for none. */
export function toValueSql(column: string): string {
  return `CASE WHEN ${column} NOT IN ('', '${NO_ACTION}') THEN (hash(${column}) >> 12)::DOUBLE END`;
}

/** Returns the values of a field on each day of a span. */
export async function readValueDays(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { fromMs, toMs }: TimeSpan,
  field: PlaceField,
): Promise<ReadonlyMap<number, ValuesOfDay>> {
  const column = findColumn(field, scope.direction);
  if (column === null) return new Map();
  const source = toSourceSql(scope, [`${column.name} AS value`, `date_ms // ${DAY_MS} AS day`], {
    sql: `date_ms >= ${fromMs} AND date_ms < ${toMs}`,
    values: [],
  });
  const rows = await readRows<[day: number, value: string | null, number: number | null]>(
    connection,
    `SELECT day, value, ${toValueSql('value')} FROM (SELECT DISTINCT day, value FROM ${source})
     QUALIFY row_number() OVER (PARTITION BY day) <= ${MAX_VALUES + 1}`,
  );
  const days = Map.groupBy(rows, ([day]) => day);
  return new Map(
    [...days].map(([day, own]) => [
      day,
      new Map(own.map(([, value, number]) => [number ?? NaN, value ?? ''])),
    ]),
  );
}

interface TrafficQuestion {
  readonly span: TimeSpan;
  readonly slotMs: number;
  readonly flow?: FlowSql;
}

/** Returns how many requests of each channel and service failed, or took which time, in each slot of a span. */
export function readTraffic(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { span: { fromMs, toMs }, slotMs, flow = FLOW_SQL }: TrafficQuestion,
): Promise<TrafficCells> {
  const within = `date_ms >= ${fromMs} AND date_ms < ${toMs}`;
  return readCells(connection, scope, { kind: KIND_SQL, within, slotMs, flow });
}

/** Returns how many successful requests of each channel and service took how long to reach the connector. */
export async function readLateTraffic(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { span: { fromMs, toMs }, slotMs, flow = FLOW_SQL }: TrafficQuestion,
): Promise<TrafficCells> {
  if (findColumn('botLatencyMs', scope.direction) === null) return NO_CELLS;
  const within = `date_ms >= ${fromMs} AND date_ms < ${toMs} AND NOT ${FAILED_SQL} AND bot_latency_ms >= 0`;
  return readCells(connection, scope, { kind: LATE_SQL, within, slotMs, flow });
}

async function readCells(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  {
    kind,
    within,
    slotMs,
    flow,
  }: { readonly kind: string; readonly within: string; readonly slotMs: number; readonly flow: FlowSql },
): Promise<TrafficCells> {
  const columns = [
    `${flow.channel} AS flow_channel`,
    `${flow.service} AS flow_service`,
    `date_ms // ${slotMs} AS slot`,
    `${kind} AS kind`,
  ];
  const source = toSourceSql(scope, columns, { sql: within, values: [] });
  const [channels, services, slots, outcomes, counts] = await readColumns(
    connection,
    `SELECT coalesce(flow_channel::DOUBLE, 'NaN'::DOUBLE), coalesce(flow_service::DOUBLE, 'NaN'::DOUBLE),
       slot::DOUBLE, kind::DOUBLE, requests::DOUBLE
     FROM (SELECT flow_channel, flow_service, slot, kind, count(*) AS requests FROM ${source} GROUP BY ALL)`,
    5,
  );
  return {
    channels: channels ?? NONE,
    services: services ?? NONE,
    slots: slots ?? NONE,
    outcomes: outcomes ?? NONE,
    counts: counts ?? NONE,
  };
}

/** Returns the columns of a statement that selects nothing but doubles. */
async function readColumns(
  connection: DuckDBConnection,
  sql: string,
  count: number,
): Promise<Float64Array[]> {
  const result = await connection.stream(sql);
  const columns = Array.from({ length: count }, (_, column) => column);
  const chunks: Float64Array[][] = [];
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    // Copied, since the memory of a chunk is its own.
    chunks.push(columns.map((column) => readDoubles(chunk, column).slice()));
  }
  return columns.map((column) => {
    const parts = chunks.map((own) => own[column] ?? NONE);
    const whole = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
    let length = 0;
    for (const part of parts) {
      whole.set(part, length);
      length += part.length;
    }
    return whole;
  });
}

const NONE = new Float64Array();

function readDoubles(chunk: DuckDBDataChunk, column: number): Float64Array {
  return (chunk.getColumnVector(column) as unknown as { items: Float64Array }).items;
}

const TIMED_SQL = `NOT ${FAILED_SQL} AND response_time_ms >= 0`;

/**
 * Returns how many requests each channel and service had in each half hour of a span, how long they took, and the most
 * unusual five minutes of each.
 */
export async function readLongTraffic(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { fromMs, toMs }: TimeSpan,
  flow: FlowSql,
): Promise<LongCells> {
  const columns = [
    `${flow.channel} AS flow_channel`,
    `${flow.service} AS flow_service`,
    `date_ms // ${SHORT_SLOT_MS} AS short`,
    `CASE WHEN ${TIMED_SQL} THEN ln(1 + response_time_ms) END AS log_time`,
  ];
  const source = toSourceSql(scope, columns, {
    sql: `date_ms >= ${fromMs} AND date_ms < ${toMs}`,
    values: [],
  });
  const [channels, services, slots, requests, timed, logTimes, most, fewest, slowest, mostAt, slowestAt] =
    await readColumns(
      connection,
      `SELECT coalesce(flow_channel::DOUBLE, 'NaN'::DOUBLE), coalesce(flow_service::DOUBLE, 'NaN'::DOUBLE),
       (short // ${SHORT_SLOTS})::DOUBLE AS slot, sum(requests)::DOUBLE, sum(timed)::DOUBLE, sum(log_times)::DOUBLE,
       max(requests)::DOUBLE, (CASE WHEN count(*) < ${SHORT_SLOTS} THEN 0 ELSE min(requests) END)::DOUBLE,
       coalesce(max(log_times / timed) FILTER (timed >= ${MIN_SHORT_TIMED}), 'NaN'::DOUBLE)::DOUBLE,
       arg_max(short % ${SHORT_SLOTS}, ${SHORT_SLOTS} * requests - short % ${SHORT_SLOTS})::DOUBLE,
       coalesce(arg_max(short % ${SHORT_SLOTS}, log_times / timed) FILTER (timed >= ${MIN_SHORT_TIMED}), 0)::DOUBLE
     FROM (SELECT flow_channel, flow_service, short, count(*) AS requests, count(log_time) AS timed,
       coalesce(sum(log_time), 0) AS log_times FROM ${source} GROUP BY flow_channel, flow_service, short)
     GROUP BY flow_channel, flow_service, slot`,
      11,
    );
  const none = new Float64Array();
  return {
    channels: channels ?? none,
    services: services ?? none,
    slots: slots ?? none,
    requests: requests ?? none,
    timed: timed ?? none,
    logTimes: logTimes ?? none,
    most: most ?? none,
    fewest: fewest ?? none,
    slowest: slowest ?? none,
    mostAt: mostAt ?? none,
    slowestAt: slowestAt ?? none,
  };
}
