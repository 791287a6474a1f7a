import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Output } from '../../../common/contract/index.ts';
import type { Database } from '../../../node/open-database.ts';

/** Bytes that this user can still write on the disk of a file; null where the system does not say. */
export function readFreeBytes(file: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** The number that SQLite reports for a pragma. */
export function readPragma(database: Database, name: string): number {
  return Number(database.pragma(name, { simple: true }));
}

/** Bytes of the database's pages that hold something. */
export function readUsedBytes(database: Database): number {
  const usedPages = readPragma(database, 'page_count') - readPragma(database, 'freelist_count');
  return usedPages * readPragma(database, 'page_size');
}

/**
 * What the cache takes on the disk. The database's pages are divided among the reports by the bytes
 * received for each, which costs nothing; counting pages would read the whole file.
 */
export function readStorage(database: Database, file: string): Output<'snapshots/read-storage'> {
  const usedBytes = readUsedBytes(database);
  const freeBytesInside = readPragma(database, 'freelist_count') * readPragma(database, 'page_size');
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
    reclaimableBytes: freeBytesInside + share(() => true, 1),
  };
}
