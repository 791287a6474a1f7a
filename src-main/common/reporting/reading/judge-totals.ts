import type { Remark } from '../../model/cache/snapshot.ts';

/** What the pages of one walk announced as `totalDocument`; null where none did. A zero counts only beside no other. */
export interface Announced {
  readonly last: number | null;
  readonly largest: number | null;
}

interface TotalsVerdict {
  /** Fewer came than the service has: the walk is incomplete. */
  readonly isShort: boolean;
  /** What has to be said about the totals; empty where as many came as were announced. */
  readonly remarks: readonly Remark[];
}

/** Sums up the totals of a walk's pages, in the order of the pages. */
export function sumUpAnnounced(totals: Iterable<number | null>): Announced {
  let last: number | null = null;
  let largest: number | null = null;
  for (const total of totals) {
    // Services that count what remains end with zero.
    if (total === null || (total === 0 && last !== null)) continue;
    last = total;
    largest = Math.max(largest ?? 0, total);
  }
  return { last, largest };
}

/** True when exactly the announced number of entries came; more prove that the announcement means something else. */
export function hasAllAnnounced(received: number, { last, largest }: Announced): boolean {
  return (received === last || received === largest) && !judgeTotals(received, { last, largest }).isShort;
}

/**
 * Compares what a walk received with what it was announced (decision 8). A total that shrank is believed only where
 * exactly as many came: 200 of 250 are incomplete, even if the last page said 50.
 */
export function judgeTotals(received: number, { last, largest }: Announced): TotalsVerdict {
  if (last === null || largest === null) {
    return { isShort: false, remarks: [{ code: 'total-missing', count: 1 }] };
  }
  if (received < last || (received < largest && received !== last)) {
    const detail = `${received} / ${received < last ? last : largest}`;
    return { isShort: true, remarks: [{ code: 'fewer-than-total', count: 1, detail }] };
  }
  if (received <= largest) return { isShort: false, remarks: [] };
  return {
    isShort: false,
    remarks: [{ code: 'more-than-total', count: 1, detail: `${received} / ${largest}` }],
  };
}
