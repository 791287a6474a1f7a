import { ENGINE_COLUMNS } from '../engine-tables.ts';
import type { EngineValue } from './feed-source.ts';

/** Whether records came in the order of their dates so far. */
export interface DateOrder {
  readonly isInOrder: boolean;
  /** Means nothing once they are not. */
  readonly lastDateMs: number;
}

/** Before the first record. */
export const NO_DATES: DateOrder = { isInOrder: true, lastDateMs: Number.MIN_SAFE_INTEGER };
const DATE_AT = ENGINE_COLUMNS.inbound.findIndex(({ name }) => name === 'date_ms');

/** Returns the order of dates after some more records, in the columns that the engine is fed with. */
export function followDates(
  { isInOrder, lastDateMs: beforeMs }: DateOrder,
  rows: readonly (readonly EngineValue[])[],
): DateOrder {
  let lastDateMs = beforeMs;
  if (!isInOrder) return { isInOrder, lastDateMs };
  for (const row of rows) {
    const dateMs = row[DATE_AT];
    if (typeof dateMs !== 'number' || dateMs < lastDateMs) return { isInOrder: false, lastDateMs };
    lastDateMs = dateMs;
  }
  return { isInOrder: true, lastDateMs };
}
