import type { Database } from 'better-sqlite3';
import type { Direction } from '../../common/reporting/report-identifiers.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import { splitPeriod } from './split-period.ts';

/** Sums over one group in a period; `newestSession` is that of the newest request (decision 12). */
export interface GroupTotals {
  readonly groupId: number;
  readonly records: number;
  readonly responseTimeUs: number;
  readonly botLatencyMs: number;
  readonly newestMs: number;
  readonly newestSession: number;
}

// With a single max(), SQLite takes the bare column newest_session from the row that holds the maximum.
// Rollups of one group cover disjoint spans, so that row is unique.
const ROLLUP_SQL = `
SELECT group_id AS groupId, sum(records) AS records, sum(response_time_us) AS responseTimeUs,
  sum(bot_latency_ms) AS botLatencyMs, max(newest_ms) AS newestMs, newest_session AS newestSession
FROM rollup
WHERE direction = ? AND tier_ms = ? AND start_ms >= ? AND start_ms < ?
GROUP BY group_id`;

const toRecordSql = (direction: Direction, botLatency: string): string => `
SELECT group_id AS groupId, 1 AS records, response_time_us AS responseTimeUs, ${botLatency} AS botLatencyMs,
  date_ms AS newestMs, session AS newestSession
FROM ${direction}_record
WHERE date_ms >= ? AND date_ms < ?
ORDER BY date_ms, arrival`;

/** Group totals of any period, from rollups in the middle and single records at the two edges. */
export class SummaryReader {
  readonly #rollups;
  readonly #records;

  constructor(db: Database) {
    this.#rollups = db.prepare<[number, number, number, number], GroupTotals>(ROLLUP_SQL);
    this.#records = {
      inbound: db.prepare<[number, number], GroupTotals>(toRecordSql('inbound', 'bot_latency_ms')),
      outbound: db.prepare<[number, number], GroupTotals>(toRecordSql('outbound', '0')),
    };
  }

  /** Totals of every group with records in fromMs <= date < toMs, in no particular order. */
  read(direction: Direction, fromMs: number, toMs: number): GroupTotals[] {
    const totals = new Map<number, GroupTotals>();
    for (const part of splitPeriod(fromMs, toMs)) {
      const rows =
        part.tierMs === 0
          ? this.#records[direction].all(part.fromMs, part.toMs)
          : this.#rollups.all(DIRECTION_NUMBERS[direction], part.tierMs, part.fromMs, part.toMs);
      for (const row of rows) totals.set(row.groupId, addTotals(totals.get(row.groupId), row));
    }
    return [...totals.values()];
  }
}

// Parts and rows come in order of date and arrival, so the later one is the newer.
function addTotals(earlier: GroupTotals | undefined, later: GroupTotals): GroupTotals {
  if (earlier === undefined) return later;
  return {
    groupId: later.groupId,
    records: earlier.records + later.records,
    responseTimeUs: earlier.responseTimeUs + later.responseTimeUs,
    botLatencyMs: earlier.botLatencyMs + later.botLatencyMs,
    newestMs: later.newestMs,
    newestSession: later.newestSession,
  };
}
