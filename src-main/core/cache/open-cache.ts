import type { Logger } from '../logging/logger.ts';
import { startThread } from './call-thread.ts';
import type { Cache, PageHead } from './cache.ts';
import { createDownloadCache } from './download-cache.ts';
import { readInBatches } from './read-in-batches.ts';
import type { ScanOperations } from './scan-operations.ts';
import type { ViewOperations } from './view-operations.ts';
import type { WriterOperations } from './writer-operations.ts';

/** The cache, and what its opening met. */
export interface OpenedCache extends Cache {
  /** Where a damaged file was put aside at the start; null when the file was sound. */
  readonly damagedFile: string | null;
}

/**
 * Opens the cache with its three threads: one writes, one answers windows, one scans. A damaged file is
 * put aside and a clean one begun. Rejects with AppError `cache.newer`, `cache.locked`, `cache.read-only`,
 * `cache.disk-full`.
 */
export async function openCache(options: {
  file: string;
  workerUrl: URL;
  logger: Logger;
  now?: () => number;
}): Promise<OpenedCache> {
  const { file, workerUrl, logger, now = Date.now } = options;
  const writer = startThread<WriterOperations>(workerUrl, { role: 'writer', file, nowMs: now() }, logger);
  const { damagedFile, damage } = await readStart(writer);
  if (damagedFile !== null) logger.warn('cache.put-aside', { damagedFile, damage });
  const views = startThread<ViewOperations>(workerUrl, { role: 'views', file, nowMs: now() }, logger);
  const scans = startThread<ScanOperations>(workerUrl, { role: 'scans', file, nowMs: now() }, logger);
  const threads = [scans, views, writer] as const;
  try {
    await Promise.all([views.started, scans.started]);
  } catch (error) {
    await Promise.all(threads.map((thread) => thread.end()));
    throw error;
  }
  // Goes on with removals that were cut short; its failure is logged where it happens.
  writer.call('sweep', null).catch(() => undefined);
  let closing: Promise<void> | null = null;

  return {
    damagedFile,
    downloads: createDownloadCache(writer, views, scans),
    createSnapshot: (snapshot) => writer.call('createSnapshot', snapshot),
    storePage(page, bytes) {
      const { promise: head, resolve, reject } = Promise.withResolvers<PageHead>();
      const stored = writer.call(
        'storePage',
        { page, bytes },
        { transfer: [bytes], note: (value) => resolve(value as PageHead) },
      );
      stored.catch(reject);
      // Whoever awaits only one of the two must not leave the other unhandled.
      head.catch(() => undefined);
      return { head, stored };
    },
    finishSnapshot: (snapshotId, state, failure) =>
      writer.call('finishSnapshot', { snapshotId, state, failure }),
    getSnapshot: (snapshotId) => views.call('getSnapshot', snapshotId),
    listSnapshots: (connectionId) => views.call('listSnapshots', connectionId),
    removeSnapshots: (snapshotIds) => writer.call('removeSnapshots', snapshotIds),
    removeConnection: (connectionId) => writer.call('removeConnection', connectionId),
    readStorage: () => scans.call('readStorage', file),

    openView: (snapshotId, filter, order) => views.call('openView', { snapshotId, filter, order }),
    readRows: (viewId, start, end) => views.call('readRows', { viewId, start, end }),
    closeView: (viewId) => views.call('closeView', viewId),
    async readHistogram(viewId, buckets) {
      return scans.call('readHistogram', { view: await views.call('shareView', viewId), buckets });
    },
    readFacets: (snapshotId) => scans.call('readFacets', snapshotId),
    readRecord: (snapshotId, seq) => views.call('readRecord', { snapshotId, seq }),
    readSession: (connectionId, sessionId) => scans.call('readSession', { connectionId, sessionId }),
    readForExport: (viewId, includePayload, signal) =>
      readInBatches({
        open: () => views.call('shareView', viewId),
        read: (view, start) => scans.call('readExportBatch', { view, start, includePayload }, { signal }),
        signal,
      }),

    readSummary: (snapshotId) => scans.call('readSummary', snapshotId),
    computeSummary: (snapshotId) => scans.call('computeSummary', snapshotId),
    readVolume: (connectionId, report, fromMs, toMs, buckets) =>
      scans.call('readVolume', { connectionId, report, fromMs, toMs, buckets }),
    readAttention: (connectionId) => scans.call('readAttention', connectionId),
    addStatusSample: (sample) => writer.call('addStatusSample', sample),
    readStatusHistory: (connectionId, nowMs, spanMs, ticks) =>
      scans.call('readStatusHistory', { connectionId, nowMs, spanMs, ticks }),
    close() {
      closing ??= (async () => {
        try {
          // The writer last: it folds the log into the file once nobody reads.
          await Promise.all([scans.call('close', null), views.call('close', null)]);
          await writer.call('close', null);
        } finally {
          await Promise.all(threads.map((thread) => thread.end()));
        }
      })();
      return closing;
    },
  };
}

async function readStart(
  writer: ReturnType<typeof startThread<WriterOperations>>,
): Promise<{ damagedFile: string | null; damage: string }> {
  try {
    return (await writer.started) as { damagedFile: string | null; damage: string };
  } catch (error) {
    await writer.end();
    throw error;
  }
}
