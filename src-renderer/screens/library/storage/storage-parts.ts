import type { Output } from '../../../../src-main/common/contract/index.ts';

export interface StoragePart {
  readonly name: 'outboundDetail' | 'inboundDetail' | 'summaries' | 'rest';
  readonly bytes: number;
  /** Of everything, 0 to 1. */
  readonly share: number;
}

/** What the cache's bytes are made of; the rest is indexes, the log of changes and free pages. */
export function toStorageParts(storage: Output<'snapshots/read-storage'>): StoragePart[] {
  const { outboundDetailBytes, inboundDetailBytes, summaryBytes } = storage;
  const known = outboundDetailBytes + inboundDetailBytes + summaryBytes;
  // Sizes of the reports are those received; the cache may hold them in less.
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
