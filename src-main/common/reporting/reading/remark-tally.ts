import type { Remark } from '../../model/cache/snapshot.ts';
import { NOTE_BITS } from './read-value.ts';

/** Counts what had to be tolerated in a page. */
export interface RemarkTally {
  add(code: string, count: number, detail?: string): void;
  /** Adds one record's notes. */
  addBits(bits: number): void;
  list(): Remark[];
}

/** An empty tally; `list` answers in order of first appearance, notes of records last. */
export function createRemarks(): RemarkTally {
  const remarks = new Map<string, { count: number; detail?: string }>();
  const bitCounts = new Map<number, number>();
  return {
    add(code, count, detail) {
      const before = remarks.get(code)?.count ?? 0;
      remarks.set(code, { count: before + count, ...(detail === undefined ? {} : { detail }) });
    },
    addBits(bits) {
      bitCounts.set(bits, (bitCounts.get(bits) ?? 0) + 1);
    },
    list() {
      const noted = Object.entries(NOTE_BITS).flatMap(([code, bit]) => {
        let count = 0;
        for (const [bits, records] of bitCounts) if ((bits & bit) !== 0) count += records;
        return count === 0 ? [] : [{ code, count }];
      });
      return [...[...remarks].map(([code, remark]) => ({ code, ...remark })), ...noted];
    },
  };
}
