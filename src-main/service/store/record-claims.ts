import type { RecordComparer, ImportedRecord, StoredRecord } from './record-store.ts';

/** The records of a batch against what a store held when the import was opened (decision 37). */
export interface BatchClaims {
  /** Offers a stored record of this content; `read` is called only where one of the batch may be the same. */
  offerImported(contentHash: number, arrival: number, read: () => StoredRecord): void;
  /** After all imported ones: offers a stored sample record of this date, which has no content hash. */
  offerSample(dateMs: number, arrival: number, read: () => StoredRecord): void;
  /** Those that nothing was found for, in the order given. */
  listFresh(): ImportedRecord[];
}

/** A record of the batch. */
interface Entry {
  readonly record: ImportedRecord;
  isKnown: boolean;
}

/**
 * Returns the function that begins a batch. Every stored record, up to `lastArrival`, stands for one of the import's
 * records at most.
 */
export function createRecordClaims(
  isSame: RecordComparer,
  lastArrival: number,
): (records: readonly ImportedRecord[]) => BatchClaims {
  const claimed = createBitSet(lastArrival + 1);
  const claim = (waiting: Entry[] | undefined, arrival: number, read: () => StoredRecord): void => {
    if (waiting === undefined || waiting.length === 0 || claimed.has(arrival)) return;
    const stored = read();
    const place = waiting.findIndex(({ record }) => isSame(stored, record));
    if (place === -1) return;
    for (const entry of waiting.splice(place, 1)) entry.isKnown = true;
    claimed.add(arrival);
  };
  return (records) => {
    const entries = records.map((record): Entry => ({ record, isKnown: false }));
    const byContent = Map.groupBy(entries, ({ record }) => record.contentHash);
    let byDate: Map<number, Entry[]> | null = null;
    const listLeft = (): Entry[] => entries.filter(({ isKnown }) => !isKnown);
    return {
      offerImported: (contentHash, arrival, read) => {
        claim(byContent.get(contentHash), arrival, read);
      },
      offerSample: (dateMs, arrival, read) => {
        byDate ??= Map.groupBy(listLeft(), ({ record }) => record.dateMs);
        claim(byDate.get(dateMs), arrival, read);
      },
      listFresh: () => listLeft().map(({ record }) => record),
    };
  };
}

/** Whole numbers from 0 below `length`, one bit each. */
function createBitSet(length: number): { has(value: number): boolean; add(value: number): void } {
  const bytes = new Uint8Array((length >>> 3) + 1);
  return {
    has: (value) => ((bytes[value >>> 3] ?? 0) & (1 << (value & 7))) !== 0,
    add: (value) => {
      bytes[value >>> 3] = (bytes[value >>> 3] ?? 0) | (1 << (value & 7));
    },
  };
}
