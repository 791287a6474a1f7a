import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { TrafficCells } from '../../findings/traffic-cells.ts';
import { FAILED, UNTIMED } from '../../findings/traffic-grid.ts';
import { FAILED_SQL } from '../engine-tables.ts';
import { toSourceSql, type ResolvedScope } from '../resolved-scope.ts';

/** Times from 2^31 ms on count as the same. */
const MAX_KIND = 62;
const KIND_SQL = `CASE
  WHEN ${FAILED_SQL} THEN ${FAILED}
  WHEN response_time_ms IS NULL OR response_time_ms < 0 THEN ${UNTIMED}
  ELSE least(${MAX_KIND}, floor(2 * log2(response_time_ms + 1)))
END`;

/** Returns how many requests of each channel and service failed, or took which time, in each slot of a span. */
export async function readTraffic(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { fromMs, toMs }: TimeSpan,
  slotMs: number,
): Promise<TrafficCells> {
  const columns = ['channel', 'service', `date_ms // ${slotMs} AS slot`, `${KIND_SQL} AS kind`];
  const source = toSourceSql(scope, columns, {
    sql: `date_ms >= ${fromMs} AND date_ms < ${toMs}`,
    values: [],
  });
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
