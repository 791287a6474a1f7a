import { basename, join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import type { CacheState, RetiredSnapshot, Snapshot } from '../../common/model/cache/snapshot.ts';
import { readPlace } from '../../node/claim-folder.ts';
import { type CallByName, type RunningWorker, startWorker } from '../calls/calls.ts';
import type { Logger } from '../logging/logger.ts';
import { isDamage, needsReopening } from './file/open-database.ts';
import type { Inspection } from './file/open-file.ts';
import { beginSalvage, createStateKeeper, endSalvage, type StateKeeper } from './file/put-aside.ts';
import type { ImportedPage, StoredImport } from './imports.ts';
import type { CheckOperations, ScanOperations, ViewOperations } from './threads/read-operations.ts';
import {
  createCalls,
  createFileGate,
  type Opening,
  type ThreadCalls,
  type ThreadStart,
  type ThreadStarted,
} from './threads/thread-messages.ts';
import type { WriterOperations } from './threads/writer-operations.ts';
import type { PageHead, PageToStore } from './write/insert-records.ts';

/** Everything that runs inside the threads, by name. */
type CacheOperations = WriterOperations & ViewOperations & ScanOperations;

interface ThreadOptions {
  readonly file: string;
  readonly workerUrl: URL;
  readonly logger: Logger;
  readonly state: StateKeeper;
  now(): number;
  /** What else has the file open. */
  readonly holders: ReadonlySet<FileHolder>;
}

/**
 * Lets go of the file before it is opened again, and keeps off until `reopened` is settled: where a file is open, Windows
 * can't move it.
 */
type FileHolder = (reopened: Promise<unknown>) => Promise<void>;

/** The threads over one file, opened again by themselves after damage. */
interface SupervisedThreads {
  readonly calls: ThreadCalls<CacheOperations>;
  /** Puts the file aside if a check of all of it finds damage, and goes on with a clean one. */
  inspect(): Promise<void>;
  /** Notices that the file was removed or replaced, and that it is back. */
  checkPlace(): void;
  /** Remembers that ids up to this one were given out, for a file that takes the place of a damaged one. */
  noteSnapshotId(snapshotId: number): void;
  close(): Promise<void>;
}

/**
 * Starts the threads and keeps them usable. The first sign of damage, or of a disk that fails, stops everything,
 * opens the file again with a check of all of it, and tries the call once more; what is met a second time puts the
 * file aside. Rejects with the AppError of the first opening.
 */
async function superviseThreads(options: ThreadOptions): Promise<SupervisedThreads> {
  const { file, workerUrl, logger, state, now, holders } = options;
  let generation = 0;
  let lastSnapshotId = 0;
  let isClosed = false;
  /** Which file on which disk is open; its name may be another one's by now. */
  let place: string | null = null;

  const noteSnapshotId = (snapshotId: number): void => {
    lastSnapshotId = Math.max(lastSnapshotId, snapshotId);
  };
  /** Runs beside other calls, since a large file takes its time. What is cut short is begun again at the next start. */
  const bringOver = async (threads: ThreadSet): Promise<void> => {
    let folder: string | null = null;
    try {
      for (folder = beginSalvage(file); folder !== null; folder = beginSalvage(file)) {
        const result = await threads.writer.call('salvage', join(folder, basename(file)));
        endSalvage(folder);
        const salvaged = result as CacheState['salvaged'];
        logger.info('damaged cache salvaged', { folder, ...salvaged });
        state.update({ salvaged, startedAtMs: Math.max(now(), state.read().startedAtMs + 1) });
      }
    } catch (error) {
      logger.warn('damaged cache not salvaged', { folder, error });
    }
  };
  const checkPlace = (): void => {
    const { mode } = state.read();
    if (place === null || isClosed || mode === 'recovering') return;
    const isThere = readPlace(file, place) === place;
    if (isThere && mode === 'folder-gone') state.update({ mode: 'ready' });
    if (isThere || mode === 'folder-gone') return;
    logger.error('the data folder is gone', { file });
    state.update({ mode: 'folder-gone' });
  };
  /** Throws where what is written, or was just written, is nowhere on the disk. */
  const requirePlace = (): void => {
    checkPlace();
    if (state.read().mode === 'folder-gone')
      throw new AppError('cache.folder-gone', 'The data folder is gone.', { file });
  };
  const showOpening = (threads: ThreadSet, openedAtMs: number): void => {
    place = readPlace(file);
    const { damagedFolder, damage, checkedAtMs } = threads.opening;
    const fileCheck = checkedAtMs === null ? null : { atMs: checkedAtMs, sound: true };
    const putAside = damagedFolder === null ? null : { folder: damagedFolder, atMs: openedAtMs, damage };
    if (putAside !== null) {
      logger.warn('damaged cache put aside', putAside);
    } else if (damage !== '') {
      logger.warn('write-ahead log without its cache put aside', { damage });
    }
    void bringOver(threads);
    // Two openings within a millisecond must not look like one.
    const startedAtMs = Math.max(now(), state.read().startedAtMs + (threads.generation > 1 ? 1 : 0));
    state.update({ mode: 'ready', startedAtMs, fileCheck, ...(putAside === null ? {} : { putAside }) });
    state.measureDisk();
  };
  /** The number is taken before anything is waited for, so that of several calls one alone opens again. */
  const open = (inspection: Inspection, failed: ThreadSet | null = null): Promise<ThreadSet> => {
    generation += 1;
    const own = generation;
    const { promise: opened, resolve: endOpening } = Promise.withResolvers<undefined>();
    const released = [...holders].map((letGo) => letGo(opened));
    const before = Promise.allSettled([failed === null ? null : endThreads(failed), ...released]);
    const opening = before.then(async () => {
      const nowMs = now();
      const start = { file, nowMs, inspection, firstSnapshotId: lastSnapshotId + 1, generation: own };
      const threads = await startThreads(workerUrl, start, logger);
      noteSnapshotId(threads.opening.lastSnapshotId);
      showOpening(threads, nowMs);
      return threads;
    });
    void opening.catch(() => undefined).then(() => endOpening(undefined));
    return opening;
  };

  let current = open('usual');
  const { names } = await current;

  const reopen = (failed: ThreadSet, inspection: Inspection): Promise<ThreadSet> => {
    // Several calls meet the same damage: the first of them opens the file again for all.
    if (failed.generation !== generation || isClosed) return current;
    state.update({ mode: 'recovering' });
    current = open(inspection, failed);
    current.catch((error: unknown) => logger.error('cache not opened again', { error }));
    return current;
  };
  const findThreads = async (): Promise<ThreadSet> => {
    const tried = current;
    try {
      return await tried;
    } catch {
      // A disk that was away may be back.
      requirePlace();
      if (tried === current && !isClosed) current = open('whole');
      return current;
    }
  };

  const createCall =
    (role: ThreadRole): CallByName =>
    async (name, input, callOptions = {}) => {
      const { transfer, signal } = callOptions;
      // What was transferred is gone: such a call is not repeated.
      const tries: readonly Inspection[] = transfer === undefined ? ['whole', 'put-aside'] : ['whole'];
      for (const inspection of tries) {
        const threads = await findThreads();
        try {
          if (role === 'writer') requirePlace();
          const result = await threads[role].call(name, input, callOptions);
          if (role === 'writer') requirePlace();
          return result;
        } catch (error) {
          noteFullDisk(error, state);
          const wasEnded = threads.generation !== generation && isCutShort(error);
          if (isClosed || signal?.aborted === true) throw error;
          if (!wasEnded && !needsReopening(error)) throw error;
          // Opened again, an empty one would take its place.
          requirePlace();
          if (!wasEnded) {
            logger.error('cache failed', { operation: name, inspection, error });
            await reopen(threads, isDamage(error) ? inspection : 'whole');
          }
          if (transfer !== undefined) throw error;
        }
      }
      return (await findThreads())[role].call(name, input, callOptions);
    };

  return {
    calls: {
      ...createCalls<WriterOperations>(names.writer, createCall('writer')),
      ...createCalls<ViewOperations>(names.views, createCall('views')),
      ...createCalls<ScanOperations>(Object.keys(SCANS), createCall('scans')),
    },
    async inspect() {
      await reopen(await findThreads(), 'whole');
    },
    noteSnapshotId,
    checkPlace,
    async close() {
      if (isClosed) return;
      isClosed = true;
      const threads = await current.catch(() => null);
      if (threads !== null) await closeThreads(threads);
    },
  };
}

function noteFullDisk(error: unknown, state: StateKeeper): void {
  if (error instanceof AppError && error.code === 'cache.disk-full') state.update({ mode: 'out-of-space' });
}

/** True for the failure of a call whose thread was ended under it: the file is closed, or the thread is gone. */
function isCutShort(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'app.cancelled' || error.code === 'app.bug');
}

type ThreadRole = 'writer' | 'views' | 'scans';

/** What the thread of long reads serves: known before it runs, since it starts with the first call. */
const SCANS: Readonly<Record<keyof ScanOperations, true>> = {
  readPace: true,
  readReach: true,
  readJournalFigures: true,
  verifyPages: true,
  compareSnapshots: true,
  readExportBatch: true,
  readPortable: true,
  readPageBytes: true,
  readSummary: true,
  readStatusHistory: true,
  readOutages: true,
  readStatusFigures: true,
  measureLevels: true,
  readHealth: true,
  readStorage: true,
};

/** The threads over one opening of the file. */
interface ThreadSet extends Readonly<Record<ThreadRole, CalledThread>> {
  readonly generation: number;
  readonly opening: Opening;
  /** Names of the operations that the threads serve which run from the start. */
  readonly names: Readonly<Record<Exclude<ThreadRole, 'scans'>, readonly string[]>>;
}

/**
 * Starts the writer, and what serves windows, which opens the file once the writer has. Rejects with the AppError of
 * whichever fails.
 */
async function startThreads(
  workerUrl: URL,
  start: Omit<ThreadStart, 'role' | 'gate'>,
  logger: Logger,
): Promise<ThreadSet> {
  const running: RunningThread[] = [];
  const gate = createFileGate();
  const startRole = (role: ThreadRole): RunningThread => {
    const thread = startThread(workerUrl, { ...start, role, gate: gate.shared }, logger);
    running.push(thread);
    return thread;
  };
  const writer = startRole('writer');
  const views = startRole('views');
  // Where the writer fails, its error is the one to report.
  views.started.catch(() => undefined);
  try {
    const { names: writerNames, opening } = await writer.started;
    if (opening === null) throw new Error('The writer did not report its opening.');
    gate.settle(true);
    const { names: viewNames } = await views.started;
    const names = { writer: writerNames, views: viewNames };
    const scans = startLate(() => startThread(workerUrl, { ...start, role: 'scans', gate: null }, logger));
    return { generation: start.generation, opening, names, writer, views, scans };
  } catch (error) {
    gate.settle(false);
    await Promise.all(running.map((thread) => thread.end()));
    throw error;
  }
}

/** Ends threads over a file that may be damaged: nothing more is written to it. */
async function endThreads({ writer, views, scans }: ThreadSet): Promise<void> {
  await Promise.allSettled([scans.close(), views.close(), writer.close(true)]);
  await Promise.all([scans.end(), views.end(), writer.end()]);
}

/** Ends threads over a sound file. The writer is last: it copies the log into the file once nobody reads. */
async function closeThreads({ writer, views, scans }: ThreadSet): Promise<void> {
  try {
    await Promise.all([scans.close(), views.close()]);
    await writer.close();
  } finally {
    await Promise.all([scans.end(), views.end(), writer.end()]);
  }
}

/** A running thread of the cache. */
interface RunningThread extends RunningWorker<ThreadStarted> {
  /** Closes the thread's file; a damaged one without writing to it. */
  close(isDamaged?: boolean): Promise<void>;
}

/** What is called of a thread, which may not run yet. */
type CalledThread = Pick<RunningThread, 'call' | 'close' | 'end'>;

/** A thread that starts with its first call: it takes a tenth of a second, and nothing of a window's first picture. */
function startLate(start: () => RunningThread): CalledThread {
  let running: RunningThread | null = null;
  let isOver = false;
  return {
    async call(name, input, options) {
      if (isOver) throw new AppError('app.cancelled', 'The thread has ended.', {});
      running ??= start();
      const thread = running;
      try {
        await thread.started;
      } catch (error) {
        // What kept it from starting is what its callers learn; the next one tries again.
        if (running === thread) running = null;
        await thread.end();
        throw error;
      }
      return thread.call(name, input, options);
    },
    async close(isDamaged) {
      isOver = true;
      await running?.close(isDamaged);
    },
    async end(waitMs) {
      isOver = true;
      await running?.end(waitMs);
    },
  };
}

/** Starts one thread of the cache. */
function startThread(script: URL, start: ThreadStart, logger: Logger): RunningThread {
  const worker = startWorker<ThreadStarted>(script, { name: `cache-${start.role}`, data: start }, logger);
  return {
    ...worker,
    async close(isDamaged = false) {
      await worker.call('close', isDamaged);
    },
  };
}

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
 * Opens the cache with its threads: one writes, one serves windows, one scans once it is asked to. A damaged file is
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
