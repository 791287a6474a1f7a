import { basename, join } from 'node:path';
import { AppError } from '../../../common/contract/errors.ts';
import type { Logger } from '../../logging/logger.ts';
import { startThread, type CalledThread, type ThreadCalls } from './call-thread.ts';
import type { ScanOperations } from './scan-operations.ts';
import type { StateKeeper } from '../file/state-keeper.ts';
import type { Inspection, ThreadOperations, ThreadStart, WriterStart } from './thread-messages.ts';
import { isDamage, needsReopening } from '../file/to-cache-error.ts';
import type { ViewOperations } from './view-operations.ts';
import type { WriterOperations } from './writer-operations.ts';

export interface ThreadOptions {
  readonly file: string;
  readonly workerUrl: URL;
  readonly logger: Logger;
  readonly state: StateKeeper;
  now(): number;
}

/** The three threads over one file, opened again by themselves after damage. */
export interface SupervisedThreads {
  readonly writer: ThreadCalls<WriterOperations>;
  readonly views: ThreadCalls<ViewOperations>;
  readonly scans: ThreadCalls<ScanOperations>;
  /** Puts the file aside if a check of all of it finds damage, and goes on with a clean one. */
  inspect(): Promise<void>;
  /** Remembers that ids up to this one were given out. */
  noteSnapshotId(snapshotId: number): void;
  close(): Promise<void>;
}

interface ThreadSet {
  readonly generation: number;
  readonly writer: CalledThread<WriterOperations>;
  readonly views: CalledThread<ViewOperations>;
  readonly scans: CalledThread<ScanOperations>;
}

/**
 * Starts the threads and keeps them usable. The first sign of damage, or of a disk that fails, stops everything,
 * opens the file again with a check of all of it, and tries the call once more; what is met a second time puts the
 * file aside. Rejects with the AppError of the first opening.
 */
export async function superviseThreads(options: ThreadOptions): Promise<SupervisedThreads> {
  const { file, logger, state, now } = options;
  let generation = 0;
  let lastSnapshotId = 0;
  let isClosed = false;

  /** Goes on beside everything else: a large file takes its time. */
  const bringOver = async (threads: ThreadSet, folder: string): Promise<void> => {
    try {
      const salvaged = await threads.writer.call('salvage', join(folder, basename(file)));
      logger.info('cache.salvaged', { ...salvaged });
      state.update({ salvaged, startedAtMs: Math.max(now(), state.read().startedAtMs + 1) });
    } catch (error) {
      logger.warn('cache.not-salvaged', { folder, error });
    }
  };
  /** The number is taken before anything is waited for, so that of several calls one alone opens again. */
  const open = (inspection: Inspection, before: Promise<void> = Promise.resolve()): Promise<ThreadSet> => {
    generation += 1;
    const own = generation;
    return before.then(async () => {
      const threads = await startThreads(options, own, inspection, lastSnapshotId + 1);
      const { putAside, fileCheck } = threads;
      if (putAside !== null) {
        logger.warn('cache.put-aside', { ...putAside });
        void bringOver(threads, putAside.folder);
      }
      // Two openings within a millisecond must not look like one.
      const startedAtMs = Math.max(now(), state.read().startedAtMs + (own > 1 ? 1 : 0));
      state.update({ mode: 'ready', startedAtMs, fileCheck, ...(putAside === null ? {} : { putAside }) });
      state.lookAtDisk();
      return threads;
    });
  };

  let current = open('usual');
  await current;

  const reopen = (failed: ThreadSet, inspection: Inspection): Promise<ThreadSet> => {
    // Several calls meet the same damage: the first of them opens the file again for all.
    if (failed.generation !== generation || isClosed) return current;
    state.update({ mode: 'recovering' });
    current = open(inspection, endThreads(failed));
    current.catch((error: unknown) => logger.error('cache.reopen-failed', { error }));
    return current;
  };
  const findThreads = async (): Promise<ThreadSet> => {
    const tried = current;
    try {
      return await tried;
    } catch {
      // A disk that was away may be back.
      if (tried === current && !isClosed) current = open('whole');
      return current;
    }
  };

  const callThrough = <Operations extends ThreadOperations>(
    pick: (threads: ThreadSet) => ThreadCalls<Operations>,
  ): ThreadCalls<Operations> => ({
    async call(name, input, callOptions) {
      // What was transferred is gone: such a call is not repeated.
      const tries: readonly Inspection[] =
        callOptions?.transfer === undefined ? ['whole', 'condemn'] : ['whole'];
      for (const inspection of tries) {
        const threads = await findThreads();
        try {
          return await pick(threads).call(name, input, callOptions);
        } catch (error) {
          noteFullDisk(error, state);
          const wasEnded = threads.generation !== generation && isCutShort(error);
          if (isClosed || callOptions?.signal?.aborted === true) throw error;
          if (!wasEnded && !needsReopening(error)) throw error;
          if (!wasEnded) {
            logger.error('cache.failed', { operation: name, inspection, error });
            await reopen(threads, isDamage(error) ? inspection : 'whole');
          }
          if (callOptions?.transfer !== undefined) throw error;
        }
      }
      return pick(await findThreads()).call(name, input, callOptions);
    },
  });

  return {
    writer: callThrough((threads) => threads.writer),
    views: callThrough((threads) => threads.views),
    scans: callThrough((threads) => threads.scans),
    async inspect() {
      await reopen(await findThreads(), 'whole');
    },
    noteSnapshotId: (snapshotId) => {
      lastSnapshotId = Math.max(lastSnapshotId, snapshotId);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      const threads = await current.catch(() => null);
      if (threads === null) return;
      try {
        // The writer last: it folds the log into the file once nobody reads.
        await Promise.all([threads.scans.call('close', null), threads.views.call('close', null)]);
        await threads.writer.call('close', null);
      } finally {
        await Promise.all([threads.scans.end(), threads.views.end(), threads.writer.end()]);
      }
    },
  };
}

function noteFullDisk(error: unknown, state: StateKeeper): void {
  if (error instanceof AppError && error.code === 'cache.disk-full') state.update({ mode: 'out-of-space' });
}

/** True for what a call meets whose thread was ended under it: the file was closed, or nobody answers any more. */
function isCutShort(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'app.cancelled' || error.code === 'app.bug');
}

/** Ends threads over a file that may be damaged: nothing more is written to it. */
async function endThreads({ writer, views, scans }: ThreadSet): Promise<void> {
  await Promise.allSettled([
    scans.call('close', null),
    views.call('close', null),
    writer.call('abandon', null),
  ]);
  await Promise.all([scans.end(), views.end(), writer.end()]);
}

async function startThreads(
  options: ThreadOptions,
  generation: number,
  inspection: Inspection,
  firstSnapshotId: number,
) {
  const { file, workerUrl, logger, now } = options;
  const nowMs = now();
  const start = (role: ThreadStart['role']): ThreadStart => ({
    ...{ role, file, nowMs, inspection, firstSnapshotId, generation },
  });
  const writer = startThread<WriterOperations>(workerUrl, start('writer'), logger);
  const started = [writer.started];
  const threads: CalledThread<never>[] = [writer];
  try {
    const { damagedFolder, damage, checkedAtMs } = (await writer.started) as WriterStart;
    const views = startThread<ViewOperations>(workerUrl, start('views'), logger);
    const scans = startThread<ScanOperations>(workerUrl, start('scans'), logger);
    threads.push(views, scans);
    started.push(views.started, scans.started);
    await Promise.all(started);
    const putAside = damagedFolder === null ? null : { folder: damagedFolder, atMs: nowMs, damage };
    const fileCheck = checkedAtMs === null ? null : { atMs: checkedAtMs, sound: true };
    return { generation, writer, views, scans, putAside, fileCheck };
  } catch (error) {
    await Promise.all(threads.map((thread) => thread.end()));
    throw error;
  }
}
