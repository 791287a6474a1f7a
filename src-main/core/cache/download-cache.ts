import type { DetailKind } from '../../common/reporting/reports.ts';
import type { ThreadCalls } from './threads/call-thread.ts';
import type { DownloadPace, JournalFigures } from './read/download-figures.ts';
import type { DownloadRow } from './read/download-rows.ts';
import type { DownloadChange, QueuedDownload, WalkRestart } from './write/download-writes.ts';
import type { ScanOperations } from './threads/scan-operations.ts';
import type { ViewOperations } from './threads/view-operations.ts';
import type { WriterOperations } from './threads/writer-operations.ts';

/** What is kept of downloads. Failures are AppErrors with a `cache.*` code. */
export interface DownloadCache {
  get(snapshotId: number): Promise<DownloadRow>;
  /** The newest first; of one connection, or of all. */
  list(connectionId: string | null): Promise<DownloadRow[]>;
  /** Queues a snapshot's download, or one that goes on; the snapshot counts as being downloaded from then on. */
  queue(download: QueuedDownload): Promise<DownloadRow>;
  change(change: DownloadChange): Promise<DownloadRow>;
  /** Goes on with the next slice; nothing changes unless the one before was read to its end. */
  beginNextSlice(snapshotId: number): Promise<DownloadRow>;
  /** Begins the slice's walk over pages again; records that are there already will be compared, not doubled. */
  restartWalk(restart: WalkRestart): Promise<DownloadRow>;
  addRemark(snapshotId: number, remark: string): Promise<DownloadRow>;
  keepPageSize(snapshotId: number, pageSize: number): Promise<DownloadRow>;
  keepForecast(snapshotId: number, total: number): Promise<DownloadRow>;
  readPace(connectionId: string, report: DetailKind): Promise<DownloadPace>;
  readJournalFigures(snapshotId: number): Promise<JournalFigures>;
}

/** The calls of downloads over the cache's threads. */
export function createDownloadCache(
  writer: ThreadCalls<WriterOperations>,
  views: ThreadCalls<ViewOperations>,
  scans: ThreadCalls<ScanOperations>,
): DownloadCache {
  return {
    get: (snapshotId) => views.call('getDownload', snapshotId),
    list: (connectionId) => views.call('listDownloads', connectionId),
    queue: (download) => writer.call('queueDownload', download),
    change: (change) => writer.call('changeDownload', change),
    beginNextSlice: (snapshotId) => writer.call('beginNextSlice', { snapshotId }),
    restartWalk: (restart) => writer.call('restartWalk', restart),
    addRemark: (snapshotId, remark) => writer.call('remarkDownload', { snapshotId, remark }),
    keepPageSize: (snapshotId, pageSize) => writer.call('keepPageSize', { snapshotId, pageSize }),
    keepForecast: (snapshotId, total) => writer.call('keepForecast', { snapshotId, total }),
    readPace: (connectionId, report) => scans.call('readPace', { connectionId, report }),
    readJournalFigures: (snapshotId) => scans.call('readJournalFigures', snapshotId),
  };
}
