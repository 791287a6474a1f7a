import type { Database } from 'better-sqlite3';
import type { Direction } from '../../common/reporting/reports.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import { splitPeriod } from './split-period.ts';

/** Exact number of records in a period: whole rollups in the middle, single records at the edges. */
export class RecordCounter {
  readonly #countRollups;
  readonly #countRecords;

  constructor(db: Database) {
    this.#countRollups = db
      .prepare<[number, number, number, number], number>(
        `SELECT coalesce(sum(records), 0) FROM record_count
         WHERE direction = ? AND tier_ms = ? AND start_ms >= ? AND start_ms < ?`,
      )
      .pluck();
    const prepare = (direction: Direction) =>
      db
        .prepare<[number, number], number>(
          `SELECT count(*) FROM ${direction}_record WHERE date_ms >= ? AND date_ms < ?`,
        )
        .pluck();
    this.#countRecords = { inbound: prepare('inbound'), outbound: prepare('outbound') };
  }

  /** Records with fromMs <= date < toMs. */
  count(direction: Direction, fromMs: number, toMs: number): number {
    let total = 0;
    for (const part of splitPeriod(fromMs, toMs)) {
      total += Number(
        part.tierMs === 0
          ? this.#countRecords[direction].get(part.fromMs, part.toMs)
          : this.#countRollups.get(DIRECTION_NUMBERS[direction], part.tierMs, part.fromMs, part.toMs),
      );
    }
    return total;
  }
}
