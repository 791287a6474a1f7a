import { AppError } from '../../../common/contract/errors.ts';
import type { CallOptions } from '../../calls/pair-calls.ts';
import type { Logger } from '../../logging/logger.ts';
import type { EngineOperations } from './engine-operations.ts';
import type { FeedProgress } from './feed-engine.ts';
import type { EngineStart } from './serve-engine.ts';
import { startEngine, type RunningEngine, type StartEngineProcess } from './start-engine.ts';

/** Pages that were stored meanwhile are fed together. */
const FOLLOW_DELAY_MS = 500;
/** Ends within this time count as one trouble. */
const TROUBLE_MS = 60_000;
const MAX_RESTARTS = 3;

type InputOf<Operation> = Operation extends (input: infer Input, ...rest: never[]) => unknown ? Input : null;
type Calls = {
  readonly [Name in Exclude<keyof EngineOperations, 'close' | 'follow'>]: (
    input: InputOf<EngineOperations[Name]>,
    options?: CallOptions,
  ) => Promise<Awaited<ReturnType<EngineOperations[Name]>>>;
};

/** The engine: everything that is computed from many records. Its calls reject with AppErrors. */
export interface Engine extends Calls {
  /** The cache changed: what is new is fed soon. */
  noteChange(): void;
  /** Progress of a feed that takes long; null when everything is fed. */
  watchFeed(listener: (progress: FeedProgress | null) => void): () => void;
  /** Ends the process, since another cache takes the place of the one it reads; the next call starts it again. */
  restart(): Promise<void>;
  /** Ends a process that is deaf to the end of a call; its file is sound, and the next call starts another one. */
  abandon(): Promise<void>;
  close(): Promise<void>;
}

const NAMES = [
  'openView',
  'readIds',
  'closeView',
  'readHistogram',
  'countFacets',
  'summarise',
  'findErrorFamilies',
  'findFlows',
  'readSession',
  'runSql',
  'readSqlRows',
  'closeSqlResult',
] as const satisfies readonly (keyof Calls)[];

/** What may have ended the process is not asked again. */
const ASKED_ONCE: ReadonlySet<string> = new Set<keyof Calls>(['runSql']);

/**
 * Keeps the engine's process running. One that ends unexpectedly is started again with a file begun anew: what it was fed
 * from is still in the cache. After three ends within a minute calls fail with `analysis.stopped` until the next one a
 * minute later.
 */
export function createEngine(options: {
  readonly startProcess: StartEngineProcess;
  readonly start: Omit<EngineStart, 'mark' | 'isInDoubt'>;
  readonly logger: Logger;
  now(): number;
}): Engine {
  const { startProcess, start, logger, now } = options;
  const listeners = new Set<(progress: FeedProgress | null) => void>();
  let generation = 0;
  let troublesMs: number[] = [];
  let isClosed = false;
  let abandoned: RunningEngine | null = null;
  let running: RunningEngine | null = null;
  let timer: NodeJS.Timeout | null = null;
  let feeding: Promise<void> = Promise.resolve();

  const notify = (progress: FeedProgress | null): void => {
    for (const listener of listeners) listener(progress);
  };
  const run = (): RunningEngine => {
    if (isClosed) throw new AppError('app.cancelled', 'The application is closing.');
    if (running !== null) return running;
    troublesMs = troublesMs.filter((atMs) => now() - atMs < TROUBLE_MS);
    if (troublesMs.length >= MAX_RESTARTS) {
      throw new AppError('analysis.stopped', 'The analysis engine keeps ending.', {});
    }
    generation += 1;
    const own = startEngine(
      startProcess,
      { ...start, mark: String(generation), isInDoubt: troublesMs.length > 0 },
      logger,
    );
    running = own;
    own.started.catch((error: unknown) => logger.error('engine.not-started', { error }));
    void own.exited.then((reason) => {
      if (running !== own || isClosed) return;
      running = null;
      logger.warn('engine.ended', { reason });
      if (own !== abandoned) troublesMs.push(now());
      noteChange();
    });
    return own;
  };
  const follow = async (): Promise<void> => {
    const engine = run();
    await engine.started;
    await engine.call('follow', null, { onProgress: (progress) => notify(progress as FeedProgress) });
    notify(null);
  };
  const noteChange = (): void => {
    if (isClosed || timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      feeding = feeding.then(follow).catch((error: unknown) => logger.warn('engine.not-fed', { error }));
    }, FOLLOW_DELAY_MS);
    timer.unref();
  };
  const callOnce = async (name: string, input: unknown, callOptions?: CallOptions): Promise<unknown> => {
    const engine = run();
    await engine.started;
    return engine.call(name, input, callOptions);
  };
  const call = async (name: string, input: unknown, callOptions?: CallOptions): Promise<unknown> => {
    try {
      return await callOnce(name, input, callOptions);
    } catch (error) {
      // Whatever ended the process, a new one over a new file may know; a view of the old one is closed.
      if (!(error instanceof AppError) || error.code !== 'analysis.stopped' || isClosed) throw error;
      if (ASKED_ONCE.has(name)) throw error;
      return callOnce(name, input, callOptions);
    }
  };

  const calls = Object.fromEntries(
    NAMES.map((name) => [
      name,
      (input: unknown, callOptions?: CallOptions) => call(name, input, callOptions),
    ]),
  ) as unknown as Calls;
  return {
    ...calls,
    noteChange,
    watchFeed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async restart() {
      const before = running;
      running = null;
      await before?.end();
      noteChange();
    },
    async abandon() {
      abandoned = running;
      running?.kill();
      await abandoned?.exited;
    },
    async close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      await running?.end();
    },
  };
}
