import { statSync } from 'node:fs';
import type { Output } from '../../common/contract/index.ts';
import type { Connection } from './connect.ts';

/**
 * What the cache takes on the disk. The database's pages are divided among the reports by the bytes
 * received for each, which costs nothing; counting pages would read the whole file.
 */
export function readStorage(database: Connection, file: string): Output<'snapshots/read-storage'> {
  const pragma = (name: string): number => Number(database.pragma(name, { simple: true }));
  const usedBytes = (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  const rows = database
    .prepare<[], { report: string; bytes: number }>(
      'SELECT report, sum(size_bytes) AS bytes FROM snapshots WHERE is_removed = 0 GROUP BY report',
    )
    .all();
  const received = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  const share = (matches: (report: string) => boolean): number => {
    const bytes = rows.filter(({ report }) => matches(report)).reduce((sum, row) => sum + row.bytes, 0);
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
  };
}
