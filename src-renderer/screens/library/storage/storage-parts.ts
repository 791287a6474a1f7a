import type { Output } from '../../../../src-main/common/contract/index.ts';

interface StoragePart {
  readonly name: 'outboundDetail' | 'inboundDetail' | 'summaries' | 'rest';
  readonly bytes: number;
  /** Of the whole cache, 0 to 1. */
  readonly share: number;
}

/** Splits the cache's size into reports and the rest: indexes, the write-ahead log and free pages. */
export function toStorageParts(storage: Output<'snapshots/read-storage'>): StoragePart[] {
  const { outboundDetailBytes, inboundDetailBytes, summaryBytes } = storage;
  const known = outboundDetailBytes + inboundDetailBytes + summaryBytes;
  // The sizes of reports are those received; the cache may store them in less.
  const whole = Math.max(storage.totalBytes, known);
  const toPart = (name: StoragePart['name'], bytes: number): StoragePart => ({
    name,
    bytes,
    share: whole === 0 ? 0 : bytes / whole,
  });
  return [
    toPart('outboundDetail', outboundDetailBytes),
    toPart('inboundDetail', inboundDetailBytes),
    toPart('summaries', summaryBytes),
    toPart('rest', Math.max(0, whole - known)),
  ];
}
