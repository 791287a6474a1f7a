import type { DuckDBConnection } from '@duckdb/node-api';
import { readRows } from './engine-database.ts';
import { toSourceSql, type RecordScope } from './record-scope.ts';

/** What went through a channel and service in some time. */
export interface FlowMeasure {
  readonly requests: number;
  /** Responses with codes of 400 to 599. */
  readonly failures: number;
  readonly averageResponseTimeMs: number;
}

/** One channel and service: the last hour, the seven days before it, and the last four hours in quarters of an hour. */
export interface TrafficFlow {
  readonly channel: number | null;
  readonly service: number | null;
  readonly recent: FlowMeasure;
  readonly usual: FlowMeasure;
  /** Sixteen, the oldest first. */
  readonly trend: readonly FlowMeasure[];
}

/** What is usual shows in so much time before the newest record. */
const USUAL_MS = 7 * 86_400_000;
const SLOT_MS = 900_000;
const TREND_SLOTS = 16;
const RECENT_SLOTS = 4;

/** The flows of a scope, seen from its newest record; the times of slots are [untilMs - 15 min * n, …). */
export async function findFlows(
  connection: DuckDBConnection,
  scope: RecordScope,
  newestMs: number,
): Promise<{ readonly untilMs: number; readonly flows: readonly TrafficFlow[] }> {
  const untilMs = newestMs + 1;
  const source = toSourceSql(scope, ['date_ms', 'channel', 'service', 'response_code', 'response_time_ms'], {
    sql: `date_ms > ${newestMs - USUAL_MS}`,
    values: [],
  });
  const rows = await readRows<[number | null, number | null, number, number, number, number, number]>(
    connection,
    `SELECT channel, service, least((${newestMs} - date_ms) // ${SLOT_MS}, ${TREND_SLOTS}) AS slot, count(*),
       count(*) FILTER (response_code BETWEEN 400 AND 599), coalesce(sum(response_time_ms), 0),
       count(response_time_ms)
     FROM ${source} GROUP BY channel, service, slot`,
  );
  const flows = Map.groupBy(rows, ([channel, service]) => `${String(channel)}|${String(service)}`);
  return {
    untilMs,
    flows: [...flows.values()].map((slots) => {
      const [[channel, service] = [null, null]] = slots;
      const measure = (isWanted: (slot: number) => boolean): FlowMeasure =>
        toMeasure(slots.filter(([, , slot]) => isWanted(slot)));
      return {
        channel,
        service,
        recent: measure((slot) => slot < RECENT_SLOTS),
        usual: measure((slot) => slot >= RECENT_SLOTS),
        trend: Array.from({ length: TREND_SLOTS }, (_, place) =>
          measure((slot) => slot === TREND_SLOTS - 1 - place),
        ),
      };
    }),
  };
}

function toMeasure(
  slots: readonly (readonly [unknown, unknown, unknown, number, number, number, number])[],
): FlowMeasure {
  const add = (place: 3 | 4 | 5 | 6): number => slots.reduce((sum, slot) => sum + slot[place], 0);
  const timed = add(6);
  return { requests: add(3), failures: add(4), averageResponseTimeMs: timed === 0 ? 0 : add(5) / timed };
}
