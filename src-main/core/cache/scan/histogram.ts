import { CODE_CLASSES, type TimeBucket } from '../../../common/model/record.ts';
import { toEndMs, type Period } from '../../../common/model/period.ts';
import type { DateColumn } from './date-columns.ts';
import type { RowList } from './materialise-view.ts';

const SECOND_MS = 1000;

/**
 * Counts a view's records over the period of its snapshot: equal spans of whole seconds, at most `buckets`;
 * the last may reach past the period. Records with no date, or one outside, are in none.
 */
export function countInBuckets(
  view: RowList,
  period: Period,
  column: DateColumn,
  buckets: number,
): TimeBucket[] {
  const seconds = Math.max(1, Math.ceil((toEndMs(period) - period.fromMs) / SECOND_MS));
  const widthMs = Math.ceil(seconds / buckets) * SECOND_MS;
  const count = Math.ceil((seconds * SECOND_MS) / widthMs);
  const result = createBuckets(count, (index) => period.fromMs + index * widthMs);
  const rowCount = Math.min(view.rowCount, column.datesMs.length);
  for (let place = 0; place < rowCount; place += 1) {
    const seq = view.seqs === null ? place : (view.seqs[place] ?? 0);
    const index = Math.floor(((column.datesMs[seq] ?? NaN) - period.fromMs) / widthMs);
    addToBucket(result[index], column.classes[seq]);
  }
  return result;
}

/** Empty buckets between the edges that `toEdge` names. */
export function createBuckets(count: number, toEdge: (index: number) => number): TimeBucket[] {
  return Array.from({ length: count }, (_, index) => ({
    fromMs: toEdge(index),
    toMs: toEdge(index + 1),
    counts: CODE_CLASSES.map(() => 0),
  }));
}

/** Counts one record of a class; nothing where there is no such bucket. */
export function addToBucket(bucket: TimeBucket | undefined, place: number | undefined): void {
  if (bucket === undefined || place === undefined) return;
  bucket.counts[place] = (bucket.counts[place] ?? 0) + 1;
}
