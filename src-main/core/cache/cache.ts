import type { CacheState, RetiredSnapshot, Snapshot } from '../../common/model/cache/snapshot.ts';
import type { Logger } from '../logging/logger.ts';
import { isDamage } from './file/open-database.ts';
import { createStateKeeper } from './file/put-aside.ts';
import type { ImportedPage, StoredImport } from './imports.ts';
import type { CheckOperations } from './threads/read-operations.ts';
import {
  type CacheOperations,
  type FileHolder,
  startThread,
  superviseThreads,
} from './threads/supervise-threads.ts';
import { createCalls, type ThreadCalls } from './threads/thread-messages.ts';
import type { PageHead, PageToStore } from './write/insert-records.ts';

/** Operations that are only called as a part of something below. */
type InnerOperation =
  | 'storePage'
  | 'importPage'
  | 'saveFileCheck'
  | 'salvage'
  | 'checkpointLog'
  | 'tryWriting';

/** What takes more than one call of a thread. */
interface CacheWork {
  /**
   * Hands one received page over; the buffer is transferred. `head` settles once it is parsed, so that the
   * next page can be requested; `stored` once records, page and cursor are committed together. Both reject
   * with the same AppError for a page that can't be read (`client.html`, `client.not-json`,
   * `client.invalid-request`, `client.unexpected-shape`); then nothing was written.
   */
  storePage(page: PageToStore, bytes: ArrayBuffer): { head: Promise<PageHead>; stored: Promise<Snapshot> };
  /** Stores one page of an import; the buffer is transferred. Rejects as reading a page does. */
  importPage(page: ImportedPage, bytes: ArrayBuffer): Promise<StoredImport>;
  /** SQLite's check of the whole file. A damaged one is put aside, and a clean one begun. */
  checkFile(signal: AbortSignal): Promise<{ sound: boolean }>;
  /** Adds what else has the cache's file open: it is asked to let go whenever the file has to be opened again. */
  addHolder(letGo: FileHolder): void;
  readState(): CacheState;
  /** Notifies a listener when the state becomes another one; returns how to stop it. */
  watchState(listener: (state: CacheState) => void): () => void;
  /** Tries to write, measures the disk and runs a checkpoint; this also happens every 30 s. */
  retry(): Promise<CacheState>;
  /** Adds to the state what retention removed. */
  noteRetired(retired: { atMs: number; snapshots: RetiredSnapshot[] }): void;
  close(): Promise<void>;
}

/**
 * The cache: one writer thread and two reader threads over one SQLite file. Its methods are the operations of the
 * threads (`writer-operations.ts`, `read-operations.ts`), and what takes more than one of
 * them. All reject with AppErrors with a `cache.*` code. Nothing large crosses to the calling thread.
 */
export type Cache = CacheWork & Omit<ThreadCalls<CacheOperations>, InnerOperation>;

/** How often the disk is measured, a checkpoint run, and writing tried again after the disk was full. */
const TEND_MS = 30_000;
/** How often it is looked whether the file is still there: whoever works on must learn it within seconds. */
const PLACE_MS = 2_000;
/** What must be free before writing is tried again. */
const MIN_FREE_BYTES = 16_000_000;

/**
 * Opens the cache with its three threads: one writes, one serves windows, one scans. A damaged file is
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
  const holders = new Set<FileHolder>();
  const threads = await superviseThreads({ file, workerUrl, logger, state, now, holders });
  const { calls } = threads;

  const tend = async (): Promise<void> => {
    state.measureDisk();
    threads.checkPlace();
    const { mode, freeBytes } = state.read();
    if (mode === 'out-of-space') {
      if (freeBytes !== null && freeBytes < MIN_FREE_BYTES) return;
      await calls.tryWriting();
      state.update({ mode: 'ready' });
    }
    state.update({ largeLog: await calls.checkpointLog() });
  };
  // Its failure is in the state, and in the log where it happened.
  const tendQuietly = (): Promise<void> => tend().catch(() => undefined);
  const timer = setInterval(() => void tendQuietly(), TEND_MS).unref();
  const placeTimer = setInterval(() => threads.checkPlace(), PLACE_MS).unref();

  return {
    ...calls,
    async createSnapshot(input) {
      const snapshot = await calls.createSnapshot(input);
      threads.noteSnapshotId(snapshot.id);
      return snapshot;
    },
    async beginImport(input) {
      const snapshotId = await calls.beginImport(input);
      threads.noteSnapshotId(snapshotId);
      return snapshotId;
    },
    importPage: (page, bytes) => calls.importPage({ page, bytes }, { transfer: [bytes] }),
    storePage(page, bytes) {
      const { promise: head, resolve, reject } = Promise.withResolvers<PageHead>();
      const stored = calls
        .storePage({ page, bytes }, { transfer: [bytes], onProgress: resolve })
        .then((snapshot) => {
          // A page that could be stored shows that there is room again.
          if (state.read().mode === 'out-of-space') state.update({ mode: 'ready' });
          return snapshot;
        });
      stored.catch(reject);
      // Whoever awaits only one of the two must not leave the other unhandled.
      head.catch(() => undefined);
      return { head, stored };
    },
    async checkFile(signal) {
      const lines = await checkWholeFile(options, holders, signal);
      if (lines.length > 0) {
        logger.error('damage found in the cache', { lines });
        await threads.inspect();
        state.update({ fileCheck: { atMs: now(), sound: false } });
        return { sound: false };
      }
      await calls.saveFileCheck(now());
      state.update({ fileCheck: { atMs: now(), sound: true } });
      return { sound: true };
    },
    addHolder: (letGo) => void holders.add(letGo),
    readState: () => state.read(),
    watchState: (listener) => state.watch(listener),
    async retry() {
      await tendQuietly();
      return state.read();
    },
    noteRetired: (retired) => state.update({ retired }),
    close() {
      clearInterval(timer);
      clearInterval(placeTimer);
      return threads.close();
    },
  };
}

/** Runs in a thread of its own: a table can't be left half checked, and charts must not wait for it. */
async function checkWholeFile(
  { file, workerUrl, logger, now = Date.now }: Parameters<typeof openCache>[0],
  holders: Set<FileHolder>,
  signal: AbortSignal,
): Promise<string[]> {
  const start = {
    file,
    nowMs: now(),
    inspection: 'usual',
    firstSnapshotId: 1,
    generation: 0,
    gate: null,
  } as const;
  const thread = startThread(workerUrl, { ...start, role: 'check' }, logger);
  const letGo = (): Promise<void> => thread.end();
  holders.add(letGo);
  try {
    const { names } = await thread.started;
    const lines = await createCalls<CheckOperations>(names, thread.call).checkFile(null, { signal });
    await thread.close();
    return lines;
  } catch (error) {
    if (isDamage(error)) return [String(error)];
    throw error;
  } finally {
    await thread.end();
    holders.delete(letGo);
  }
}
