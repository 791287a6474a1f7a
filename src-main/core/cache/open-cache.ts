import type { Logger } from '../logging/logger.ts';
import { startThread } from './threads/call-thread.ts';
import type { Cache, PageHead } from './cache.ts';
import type { CheckOperations } from './file/check-file.ts';
import { createDownloadCache } from './download-cache.ts';
import { readInBatches } from './read/read-in-batches.ts';
import { createStateKeeper } from './file/state-keeper.ts';
import { superviseThreads } from './threads/supervise-threads.ts';
import { isDamage } from './file/to-cache-error.ts';

/** How often the disk is looked at, the log folded in, and writing tried again after the disk was full. */
const TEND_MS = 30_000;
/** What must be free before writing is tried again. */
const ROOM_BYTES = 16_000_000;

/**
 * Opens the cache with its three threads: one writes, one answers windows, one scans. A damaged file is
 * put aside and a clean one begun, now or whenever damage is met. Rejects with AppError `cache.newer`,
 * `cache.locked`, `cache.read-only`, `cache.disk-full`.
 */
export async function openCache(options: {
  file: string;
  workerUrl: URL;
  logger: Logger;
  now?: () => number;
}): Promise<Cache> {
  const { file, workerUrl, logger, now = Date.now } = options;
  const state = createStateKeeper(file, now());
  const threads = await superviseThreads({ file, workerUrl, logger, state, now });
  const { writer, views, scans } = threads;

  const tend = async (): Promise<void> => {
    state.lookAtDisk();
    const { mode, freeBytes } = state.read();
    if (mode === 'out-of-space') {
      if (freeBytes !== null && freeBytes < ROOM_BYTES) return;
      await writer.call('tryWriting', null);
      state.update({ mode: 'ready' });
    }
    state.update({ largeLog: await writer.call('foldLog', null) });
  };
  // Its failure is in the state, and in the log where it happened.
  const tendQuietly = (): Promise<void> => tend().catch(() => undefined);
  const timer = setInterval(() => void tendQuietly(), TEND_MS).unref();
  /** A page that could be stored shows that there is room again. */
  const wrote = <Value>(value: Value): Value => {
    if (state.read().mode === 'out-of-space') state.update({ mode: 'ready' });
    return value;
  };

  return {
    downloads: createDownloadCache(writer, views, scans),
    async createSnapshot(input) {
      const snapshot = await writer.call('createSnapshot', input);
      threads.noteSnapshotId(snapshot.id);
      return snapshot;
    },
    storePage(page, bytes) {
      const { promise: head, resolve, reject } = Promise.withResolvers<PageHead>();
      const stored = writer
        .call(
          'storePage',
          { page, bytes },
          { transfer: [bytes], note: (value) => resolve(value as PageHead) },
        )
        .then(wrote);
      stored.catch(reject);
      // Whoever awaits only one of the two must not leave the other unhandled.
      head.catch(() => undefined);
      return { head, stored };
    },
    finishSnapshot: (snapshotId, snapshotState, failure) =>
      writer.call('finishSnapshot', { snapshotId, state: snapshotState, failure }),
    getSnapshot: (snapshotId) => views.call('getSnapshot', snapshotId),
    async listSnapshots(connectionId) {
      const list = await views.call('listSnapshots', connectionId);
      threads.noteSnapshotId(Math.max(0, ...list.map(({ id }) => id)));
      return list;
    },
    annotateSnapshot: (change) => writer.call('annotate', change),
    removeSnapshots: (snapshotIds, nowMs) => writer.call('removeSnapshots', { snapshotIds, nowMs }),
    restoreSnapshots: (snapshotIds) => writer.call('restoreSnapshots', snapshotIds),
    purgeRemoved: (untilMs) => writer.call('sweep', untilMs),
    removeConnection: (connectionId) => writer.call('removeConnection', connectionId),
    verifyPages: (snapshotId, { signal, onProgress }) =>
      scans.call('verifyPages', snapshotId, { signal, note: (done) => onProgress(done as number) }),
    saveVerification: (snapshotId, atMs, check) =>
      writer.call('saveVerification', { snapshotId, atMs, check }),
    async checkFile(signal) {
      const lines = await checkWholeFile(options, signal);
      if (lines.length > 0) {
        logger.error('cache.check-failed', { lines });
        await threads.inspect();
        state.update({ fileCheck: { atMs: now(), sound: false } });
        return { sound: false };
      }
      await writer.call('saveFileCheck', now());
      state.update({ fileCheck: { atMs: now(), sound: true } });
      return { sound: true };
    },
    compareSnapshots: (olderId, newerId) => scans.call('compareSnapshots', { olderId, newerId }),
    readJournal: (place) => views.call('readJournal', place),
    readSetAside: (place) => views.call('readSetAside', place),
    readState: () => state.read(),
    watchState: (listener) => state.watch(listener),
    async retry() {
      await tendQuietly();
      return state.read();
    },
    noteRetired: (retired) => state.update({ retired }),
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
      clearInterval(timer);
      return threads.close();
    },
  };
}

/** Runs in a thread of its own: a table can't be left half checked, and charts must not wait for it. */
async function checkWholeFile(
  { file, workerUrl, logger, now = Date.now }: Parameters<typeof openCache>[0],
  signal: AbortSignal,
): Promise<string[]> {
  const start = { file, nowMs: now(), inspection: 'usual', firstSnapshotId: 1, generation: 0 } as const;
  const thread = startThread<CheckOperations>(workerUrl, { ...start, role: 'check' }, logger);
  try {
    await thread.started;
    const lines = await thread.call('checkFile', null, { signal });
    await thread.call('close', null);
    return lines;
  } catch (error) {
    if (isDamage(error)) return [String(error)];
    throw error;
  } finally {
    await thread.end();
  }
}
