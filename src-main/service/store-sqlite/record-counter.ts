import type { Database } from '../../node/open-database.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import { splitPeriod } from '../store/split-period.ts';

/** Returns the exact number of records with fromMs <= date < toMs. */
export type CountRecords = (direction: Direction, fromMs: number, toMs: number) => number;

/** Counts by whole rollups in the middle of a period and by single records at its edges. */
export function createRecordCounter(db: Database): CountRecords {
  const countRollups = db
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
  const countRecords = { inbound: prepare('inbound'), outbound: prepare('outbound') };
  return (direction, fromMs, toMs) => {
    let total = 0;
    for (const part of splitPeriod(fromMs, toMs)) {
      const count =
        part.tierMs === 0
          ? countRecords[direction].get(part.fromMs, part.toMs)
          : countRollups.get(DIRECTION_NUMBERS[direction], part.tierMs, part.fromMs, part.toMs);
      total += count ?? 0;
    }
    return total;
  };
}
