import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { NO_CELLS, type TrafficCells } from '../../findings/traffic-cells.ts';
import { FAILED, UNTIMED } from '../../findings/traffic-grid.ts';
import { FAILED_SQL, findColumn } from '../engine-tables.ts';
import { toSourceSql, type ResolvedScope } from '../resolved-scope.ts';

/** Times from 2^31 ms on count as the same. */
const MAX_KIND = 62;
const KIND_SQL = `CASE
  WHEN ${FAILED_SQL} THEN ${FAILED}
  WHEN response_time_ms IS NULL OR response_time_ms < 0 THEN ${UNTIMED}
  ELSE least(${MAX_KIND}, floor(2 * log2(response_time_ms + 1)))
END`;

const LATE_SQL = `least(${MAX_KIND}, floor(2 * log2(bot_latency_ms + 1)))`;

/** Returns how many requests of each channel and service failed, or took which time, in each slot of a span. */
export function readTraffic(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { fromMs, toMs }: TimeSpan,
  slotMs: number,
): Promise<TrafficCells> {
  const within = `date_ms >= ${fromMs} AND date_ms < ${toMs}`;
  return readCells(connection, scope, { kind: KIND_SQL, within, slotMs });
}

/** Returns how many successful requests of each channel and service took how long to reach the connector. */
export async function readLateTraffic(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { fromMs, toMs }: TimeSpan,
  slotMs: number,
): Promise<TrafficCells> {
  if (findColumn('botLatencyMs', scope.direction) === null) return NO_CELLS;
  const within = `date_ms >= ${fromMs} AND date_ms < ${toMs} AND NOT ${FAILED_SQL} AND bot_latency_ms >= 0`;
  return readCells(connection, scope, { kind: LATE_SQL, within, slotMs });
}

async function readCells(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { kind, within, slotMs }: { readonly kind: string; readonly within: string; readonly slotMs: number },
): Promise<TrafficCells> {
  const columns = ['channel', 'service', `date_ms // ${slotMs} AS slot`, `${kind} AS kind`];
  const source = toSourceSql(scope, columns, { sql: within, values: [] });
  const [channels, services, slots, outcomes, counts] = await readColumns(
    connection,
    `SELECT coalesce(channel::DOUBLE, 'NaN'::DOUBLE), coalesce(service::DOUBLE, 'NaN'::DOUBLE),
       slot::DOUBLE, kind::DOUBLE, requests::DOUBLE
     FROM (SELECT channel, service, slot, kind, count(*) AS requests FROM ${source} GROUP BY ALL)`,
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
export async function readColumns(
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
