import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Output } from '../../../common/contract/index.ts';
import type { Database } from '../../../node/open-database.ts';

/** Free space for this person on the disk of a file, in bytes; null where the system doesn't tell. */
export function readFreeBytes(file: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize;
  } catch {
    return null;
  }
}

/**
 * What the cache takes on the disk. The database's pages are divided among the reports by the bytes
 * received for each, which costs nothing; counting pages would read the whole file.
 */
export function readStorage(database: Database, file: string): Output<'snapshots/read-storage'> {
  const pragma = (name: string): number => Number(database.pragma(name, { simple: true }));
  const freePages = pragma('freelist_count');
  const usedBytes = (pragma('page_count') - freePages) * pragma('page_size');
  const rows = database
    .prepare<[], { report: string; isRemoved: number; bytes: number }>(
      `SELECT report, is_removed > 0 AS isRemoved, sum(size_bytes) AS bytes
       FROM snapshots GROUP BY report, isRemoved`,
    )
    .all();
  const received = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  const share = (matches: (report: string) => boolean, isRemoved = 0): number => {
    const bytes = rows
      .filter((row) => row.isRemoved === isRemoved && matches(row.report))
      .reduce((sum, row) => sum + row.bytes, 0);
    return received === 0 ? 0 : Math.floor((usedBytes * bytes) / received);
  };
  const sizes = ['', '-wal', '-shm'].map(
    (suffix) => statSync(file + suffix, { throwIfNoEntry: false })?.size,
  );
  return {
    totalBytes: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
    databaseBytes: sizes[0] ?? 0,
    inboundDetailBytes: share((report) => report === 'inbound-detail'),
    outboundDetailBytes: share((report) => report === 'outbound-detail'),
    summaryBytes: share((report) => report.endsWith('summary')),
    freeBytes: readFreeBytes(file) ?? 0,
    reclaimableBytes: freePages * pragma('page_size') + share(() => true, 1),
  };
}
