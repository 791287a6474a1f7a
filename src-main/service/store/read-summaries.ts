import type { Database } from 'better-sqlite3';
import type { Direction } from '../../common/reporting/reports.ts';
import { GroupSums, type GroupTotals } from './group-sums.ts';
import { readCells } from './rollup-cells.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import { splitPeriod } from './split-period.ts';

type PackedRollup = [startMs: number, cells: Uint8Array];
type SingleRecord = [
  groupId: number,
  responseTimeUs: number,
  botLatencyMs: number,
  dateMs: number,
  arrival: number,
  session: number,
];

const ROLLUP_SQL = `
SELECT start_ms, cells FROM rollup
WHERE direction = ? AND tier_ms = ? AND start_ms >= ? AND start_ms < ?`;

const toRecordSql = (direction: Direction, botLatency: string): string => `
SELECT group_id, response_time_us, ${botLatency}, date_ms, arrival, session
FROM ${direction}_record
WHERE date_ms >= ? AND date_ms < ?`;

/** Group totals of any period, from rollups in the middle and single records at the two edges. */
export class SummaryReader {
  readonly #rollups;
  readonly #records;
  readonly #sums = new GroupSums();

  constructor(db: Database) {
    this.#rollups = db.prepare<[number, number, number, number], PackedRollup>(ROLLUP_SQL).raw();
    this.#records = {
      inbound: db.prepare<[number, number], SingleRecord>(toRecordSql('inbound', 'bot_latency_ms')).raw(),
      outbound: db.prepare<[number, number], SingleRecord>(toRecordSql('outbound', '0')).raw(),
    };
  }

  /** Totals of every group with records in fromMs <= date < toMs, in no particular order. */
  read(direction: Direction, fromMs: number, toMs: number): GroupTotals[] {
    const sums = this.#sums;
    sums.clear();
    for (const part of splitPeriod(fromMs, toMs)) {
      if (part.tierMs === 0) {
        for (const record of this.#records[direction].iterate(part.fromMs, part.toMs)) {
          const [groupId, responseTimeUs, botLatencyMs, dateMs, arrival, session] = record;
          sums.add(groupId, 1, responseTimeUs, botLatencyMs, dateMs, arrival, session);
        }
        continue;
      }
      const key = [DIRECTION_NUMBERS[direction], part.tierMs, part.fromMs, part.toMs] as const;
      for (const [startMs, cells] of this.#rollups.iterate(...key)) sums.addCells(readCells(cells), startMs);
    }
    return sums.toTotals();
  }
}
