import { ENGINE_COLUMNS } from '../engine-tables.ts';
import type { EngineValue } from './feed-source.ts';

/** Whether records came in the order of their dates so far: those of each run, and each run before those that came first. */
export interface DateOrder {
  readonly isInOrder: boolean;
  /** The newest date of the run; this and what follows mean nothing once they are not in order. */
  readonly lastDateMs: number;
  /** The oldest date of the run, and of those that came before it. */
  readonly firstDateMs: number;
  readonly untilMs: number;
}

/** Before the first record. */
export const NO_DATES: DateOrder = {
  isInOrder: true,
  lastDateMs: Number.MIN_SAFE_INTEGER,
  firstDateMs: Number.MAX_SAFE_INTEGER,
  untilMs: Number.MAX_SAFE_INTEGER,
};
const DATE_AT = ENGINE_COLUMNS.inbound.findIndex(({ name }) => name === 'date_ms');

/**
 * Returns the order of dates after some more records, in the columns that the engine is fed with. The first of them has the
 * place `from` in its snapshot, whose runs begin at `starts`.
 */
export function followDates(
  before: DateOrder,
  rows: readonly (readonly EngineValue[])[],
  { from, starts }: { readonly from: number; readonly starts: ReadonlySet<number> },
): DateOrder {
  if (!before.isInOrder) return before;
  let { lastDateMs, firstDateMs, untilMs } = before;
  for (const [place, row] of rows.entries()) {
    if (starts.has(from + place)) {
      untilMs = Math.min(untilMs, firstDateMs);
      lastDateMs = NO_DATES.lastDateMs;
    }
    const dateMs = row[DATE_AT];
    if (typeof dateMs !== 'number' || dateMs < lastDateMs || dateMs > untilMs) {
      return { ...before, isInOrder: false };
    }
    if (lastDateMs === NO_DATES.lastDateMs) firstDateMs = dateMs;
    lastDateMs = dateMs;
  }
  return { isInOrder: true, lastDateMs, firstDateMs, untilMs };
}
