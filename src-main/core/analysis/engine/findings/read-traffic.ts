import type { DuckDBConnection } from '@duckdb/node-api';
import { FAILED, UNTIMED, type TimeSpan, type TrafficCell } from '../../findings/traffic-grid.ts';
import { toSourceSql, type RecordScope } from '../record-scope.ts';

/** The longest times, from 2^31 ms on, count as one. */
const MAX_OUTCOME = 62;
const OUTCOME_SQL = `CASE
  WHEN response_code BETWEEN 400 AND 599 THEN ${FAILED}
  WHEN response_time_ms IS NULL OR response_time_ms < 0 THEN ${UNTIMED}
  ELSE least(${MAX_OUTCOME}, floor(2 * log2(response_time_ms + 1)))
END`;

/** Returns how many requests of each channel and service had each outcome, in each slot of a span. */
export async function readTraffic(
  connection: DuckDBConnection,
  scope: RecordScope,
  { fromMs, toMs }: TimeSpan,
  slotMs: number,
): Promise<TrafficCell[]> {
  const columns = ['channel', 'service', `date_ms // ${slotMs} AS slot`, `${OUTCOME_SQL} AS outcome`];
  const source = toSourceSql(scope, columns, {
    sql: `date_ms >= ${fromMs} AND date_ms < ${toMs}`,
    values: [],
  });
  const result = await connection.stream(
    `SELECT coalesce(channel::DOUBLE, 'NaN'::DOUBLE), coalesce(service::DOUBLE, 'NaN'::DOUBLE),
       slot::DOUBLE, outcome::DOUBLE, requests::DOUBLE
     FROM (SELECT channel, service, slot, outcome, count(*) AS requests FROM ${source} GROUP BY ALL)`,
  );
  const cells: TrafficCell[] = [];
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return cells;
    const read = (column: number): Float64Array =>
      (chunk.getColumnVector(column) as unknown as { items: Float64Array }).items;
    const [channels, services, slots, outcomes, counts] = [read(0), read(1), read(2), read(3), read(4)];
    for (let row = 0; row < chunk.rowCount; row += 1) {
      cells.push({
        channel: channels[row] ?? NaN,
        service: services[row] ?? NaN,
        slot: slots[row] ?? 0,
        outcome: outcomes[row] ?? UNTIMED,
        count: counts[row] ?? 0,
      });
    }
  }
}
