import type { TrafficBatch } from '../store/records.ts';
import type { Random } from '../sample/random.ts';

const LATE_SHARE = 0.2;
const MIN_DELAY_MS = 30_000;
const MAX_DELAY_MS = 480_000;

/**
 * New traffic of which a part happened minutes ago and arrives only now, so that a period already fetched
 * gains records (decision 27).
 */
export function delayRecords(batch: TrafficBatch, random: Random): TrafficBatch {
  const delay = <T extends { readonly dateMs: number }>(records: readonly T[]): T[] =>
    records
      .map((record) =>
        random() < LATE_SHARE ? { ...record, dateMs: moveBack(record.dateMs, random) } : record,
      )
      .sort((a, b) => a.dateMs - b.dateMs);
  return { ...batch, inbound: delay(batch.inbound), outbound: delay(batch.outbound) };
}

function moveBack(dateMs: number, random: Random): number {
  return dateMs - MIN_DELAY_MS - Math.floor(random() * (MAX_DELAY_MS - MIN_DELAY_MS));
}
