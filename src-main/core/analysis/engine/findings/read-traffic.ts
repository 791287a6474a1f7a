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
  const result = await connection.stream(
    `SELECT coalesce(channel::DOUBLE, 'NaN'::DOUBLE), coalesce(service::DOUBLE, 'NaN'::DOUBLE),
       slot::DOUBLE, kind::DOUBLE, requests::DOUBLE
     FROM (SELECT channel, service, slot, kind, count(*) AS requests FROM ${source} GROUP BY ALL)`,
  );
  const chunks: Float64Array[][] = [];
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    // Copied, since the memory of a chunk is its own.
    chunks.push([0, 1, 2, 3, 4].map((column) => readDoubles(chunk, column).slice()));
  }
  const join = (column: number): Float64Array => {
    const parts = chunks.map((columns) => columns[column] ?? NONE);
    const whole = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
    let length = 0;
    for (const part of parts) {
      whole.set(part, length);
      length += part.length;
    }
    return whole;
  };
  return { channels: join(0), services: join(1), slots: join(2), outcomes: join(3), counts: join(4) };
}

const NONE = new Float64Array();

function readDoubles(chunk: DuckDBDataChunk, column: number): Float64Array {
  return (chunk.getColumnVector(column) as unknown as { items: Float64Array }).items;
}
