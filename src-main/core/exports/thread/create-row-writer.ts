import { AppError } from '../../../common/contract/errors.ts';
import { createCalls } from '../../cache/threads/thread-messages.ts';
import {
  type CallByName,
  type CallContext,
  type RunningWorker,
  serveCalls,
  type ServerPort,
  startWorker,
} from '../../calls/calls.ts';
import type { Logger } from '../../logging/logger.ts';
import { createKnownClients } from '../evidence/masking/known-clients.ts';
import {
  createPackOperations,
  type PackOperations,
  type PackThread,
} from '../evidence/packing/pack-operations.ts';
import { openRows, type ReadRecords } from '../rows/open-rows.ts';
import { requireAll, type RowBatch, type RowBatches } from '../rows/row-batch.ts';
import { beginRowFile, type RowFile, type RowJob, type WrittenRows } from '../rows/row-file.ts';

/** What the thread reports once it serves. */
export interface RowThreadStarted {
  readonly names: readonly string[];
}

/** Starts a thread that writes one file. */
type StartRowThread = () => RunningWorker<RowThreadStarted>;

/** A cancelled export's thread has this long to end by itself. */
const CANCEL_MS = 500;

/** Writes files of rows, each in a thread of its own. */
export interface RowWriter {
  /**
   * Writes a file; `onProgress` is told how many rows it has. Throws the signal's reason when aborted, `cache.*`, and
   * `exports.write-failed`, also when rows are missing at the end.
   */
  write(
    job: RowJob,
    rows: RowBatches,
    options: {
      readonly signal: AbortSignal;
      onProgress(done: number): void;
      /** What masked texts may name. */
      readonly clients?: AsyncIterable<readonly string[]>;
    },
  ): Promise<WrittenRows>;
  /** Hands a thread that writes an evidence pack to `use`. Throws as `use` does, and the signal's reason when aborted. */
  withPack<Result>(signal: AbortSignal, use: (pack: PackThread) => Promise<Result>): Promise<Result>;
  /** Ends what has the cache's file open, and keeps off until `reopened` is settled: what is being written fails. */
  letGo(reopened: Promise<unknown>): Promise<void>;
}

async function* noClients(): AsyncGenerator<readonly string[]> {
  // Nothing is masked.
}

/** Creates the writer over a way to start threads. */
export function createRowWriter(startThread: StartRowThread): RowWriter {
  const running = new Set<RunningWorker<unknown>>();
  let mayStart: Promise<unknown> = Promise.resolve();

  async function withThread<Result>(
    signal: AbortSignal,
    use: (call: CallByName, started: RowThreadStarted) => Promise<Result>,
  ): Promise<Result> {
    await mayStart;
    signal.throwIfAborted();
    const thread = startThread();
    running.add(thread);
    // It ends by itself between two pieces; one that doesn't is ended.
    let force: NodeJS.Timeout | undefined;
    const forceSoon = (): void => {
      force = setTimeout(() => void thread.end(0), CANCEL_MS);
    };
    signal.addEventListener('abort', forceSoon, { once: true });
    try {
      return await use(thread.call, await thread.started);
    } catch (error) {
      signal.throwIfAborted();
      if (running.has(thread)) throw error;
      throw new AppError('cache.view-closed', 'The cache was opened again meanwhile.', {}, error);
    } finally {
      signal.removeEventListener('abort', forceSoon);
      running.delete(thread);
      await thread.call('close', null).catch(() => undefined);
      await thread.end();
      clearTimeout(force);
    }
  }

  return {
    write: (job, { rowCount, batches }, { signal, onProgress, clients = noClients() }) =>
      withThread(signal, async (callByName) => {
        const call = (name: string, input: unknown = null): Promise<unknown> =>
          callByName(name, input, { signal, onProgress: (done) => onProgress(done as number) });
        for await (const some of clients) await call('knowClients', some);
        await call('begin', job);
        for await (const batch of batches) await call('write', batch);
        const written = (await call('end')) as WrittenRows;
        requireAll(rowCount, written.rowCount);
        return written;
      }),
    withPack: (signal, use) =>
      withThread(signal, (call, { names }) => use(createCalls<PackOperations>(names, call))),
    async letGo(reopened) {
      mayStart = Promise.allSettled([mayStart, reopened]);
      const ending = [...running];
      running.clear();
      await Promise.all(ending.map((thread) => thread.end(0)));
    },
  };
}

/** The records of a cache, for the thread that writes them. */
interface RowSource {
  readonly readRecords: ReadRecords;
  /** What an error of the source is to the caller. */
  toAppError?(error: unknown): unknown;
  close(): void;
}

/**
 * Serves the writing of one file: `begin`, then `write` for each batch, then `end`; or the operations of an evidence
 * pack. `close` at any time. What lies aside meanwhile is in `scratchFolder`.
 */
export function serveRows(
  port: ServerPort,
  openSource: () => RowSource,
  scratchFolder: string,
): Promise<void> {
  return serveCalls<RowThreadStarted>(port, () => {
    const source = openSource();
    let file: RowFile | null = null;
    const find = (): RowFile => {
      if (file === null) throw new Error('No file was begun.');
      return file;
    };
    const { readRecords, toAppError } = source;
    const known = createKnownClients();
    const packing = createPackOperations(readRecords, scratchFolder);
    const operations = {
      ...packing,
      begin: async (job: RowJob): Promise<void> => {
        file = await openRows(job.shape, readRecords, (rows) => beginRowFile(job, rows), known);
      },
      /** Clients that masked texts may name; before `begin`. */
      knowClients: (clients: readonly string[]): void => {
        for (const client of clients) known.add(client);
      },
      write: (batch: RowBatch, context: CallContext<number>): Promise<void> => find().write(batch, context),
      end: (): Promise<WrittenRows> => find().end(),
      close: async (): Promise<void> => {
        source.close();
        await packing.close();
        await file?.close();
      },
    };
    return {
      operations,
      started: { names: Object.keys(operations) },
      ...(toAppError === undefined ? {} : { toAppError }),
    };
  });
}

/** What a thread that writes a file is started with. */
export interface RowThreadData {
  readonly cacheFile: string;
  /** Where files lie that are no part of another one yet; it is emptied at each start of the application. */
  readonly scratchFolder: string;
}

/** Starts a thread that writes one file of what a cache holds. */
export function startRowThread(
  script: URL,
  data: RowThreadData,
  logger: Logger,
): RunningWorker<RowThreadStarted> {
  return startWorker(script, { name: 'export-rows', data }, logger);
}
