import { availableParallelism } from 'node:os';
import { readDefault } from '../../../common/model/settings/settings.ts';
import { AppError } from '../../../common/contract/errors.ts';
import type { CallOptions } from '../../calls/calls.ts';
import type { Logger } from '../../logging/logger.ts';
import type { EngineOperations, RulesByConnection } from './engine-operations.ts';
import { emptyFilesFolder } from './files/files-folder.ts';
import type { FoundPatterns } from './feed/feed-source.ts';
import type { FedMark, FeedProgress } from './feed/create-engine-feed.ts';
import type { EngineStart } from './serve-engine.ts';
import { limitPatterns, PATTERN_LIMIT_MS } from './limit-patterns.ts';
import {
  createMemoryWatch,
  type MemoryWatch,
  type RunningEngine,
  startEngine,
  type StartEngineProcess,
} from './start-engine.ts';

/** What the engine's tables and statements may take until the settings say otherwise; they spill to the disk beyond. */
export const ENGINE_LIMITS = {
  memoryLimitMb: readDefault('engineMemoryMb'),
  threads: availableParallelism(),
};
/** Pages that were stored meanwhile are fed together. */
const FOLLOW_DELAY_MS = 500;
/** Feeding leaves a process some hundred megabytes larger, which only its end gives back. */
const MANY_RECORDS = 500_000;
/** Ends within this time count as one trouble. */
const TROUBLE_MS = 60_000;
const MAX_RESTARTS = 3;
/** Conversations are kept once no more than some records were fed for so long. */
const KEEP_DELAY_MS = 10_000;
const BUSY_RECORDS = 20_000;

type InputOf<Operation> = Operation extends (input: infer Input, ...rest: never[]) => unknown ? Input : null;
type Calls = {
  readonly [
    Name in Exclude<keyof EngineOperations, 'close' | 'follow' | 'interrupt' | 'readLoad' | 'setRules'>
  ]: (
    input: InputOf<EngineOperations[Name]>,
    options?: CallOptions,
  ) => Promise<Awaited<ReturnType<EngineOperations[Name]>>>;
};

/** The engine: everything that is computed from many records. Its calls reject with AppErrors. */
export interface Engine extends Calls {
  /** Starts the process, so that what is asked first finds it there. */
  wake(): void;
  /** The cache changed: what is new is fed soon. */
  noteChange(): void;
  /**
   * The rules of a connection, or its families, changed: resolves once all records follow them. Rejects with
   * `analysis.*`.
   */
  noteRules(): Promise<void>;
  /** Connections changed: one may have come with rules of its own. What is fed from now on follows these. */
  noteConnections(): void;
  /** Feeds what the cache has now; resolves once it is in the engine. Rejects with `analysis.*`. */
  catchUp(): Promise<void>;
  /** Records of a snapshot that the engine has, of the `reading`-th reading of its pages. */
  countFed(snapshotId: number, reading: number): number;
  /** Notifies a listener when `countFed` returns something else. */
  watchFed(listener: () => void): void;
  /** Progress of a feed that takes long; null when everything is fed. */
  watchFeed(listener: (progress: FeedProgress | null) => void): () => void;
  /** Ends the process, since another cache takes the place of the one it reads; the next call starts it again. */
  restart(): Promise<void>;
  /** Ends the process and starts no other before `until` is settled. Resolves once none has the cache's file open. */
  letGo(until: Promise<unknown>): Promise<void>;
  /** Ends a process that is deaf to the end of a call; its file is sound, and the next call starts another one. */
  abandon(): Promise<void>;
  close(): Promise<void>;
}

const NAMES = [
  'openView',
  'countView',
  'readIds',
  'closeView',
  'readHistogram',
  'readResponseTimes',
  'countFacets',
  'readFields',
  'summarise',
  'groupRecords',
  'groupForReconciling',
  'listClients',
  'readSeries',
  'readHeatMap',
  'readDistribution',
  'explain',
  'compareRecords',
  'measureConnections',
  'findSharedFamilies',
  'findErrorFamilies',
  'groupErrors',
  'findPatterns',
  'findPaths',
  'readPath',
  'readValues',
  'findFirstSeen',
  'readFamily',
  'checkFamilies',
  'matchSigns',
  'listFamilyNames',
  'findFindings',
  'findPeriodFindings',
  'readKeptFindings',
  'countTraffic',
  'keepConversations',
  'previewOutcomes',
  'adviseOutcomes',
  'readOutcomes',
  'countMinutes',
  'countHitMinutes',
  'listMinuteValues',
  'readPercentiles',
  'findNewFamilies',
  'readSession',
  'openConversations',
  'readConversations',
  'countConversationClients',
  'listConversationClients',
  'measureConversationTimes',
  'closeConversations',
  'runSql',
  'countSqlTables',
  'readSqlRows',
  'packSqlRows',
  'closeSqlResult',
  'writeRecords',
  'writeResult',
  'writeRows',
  'writeLines',
] as const satisfies readonly (keyof Calls)[];

/** A call that may have ended the process is not repeated. */
const ASKED_ONCE: ReadonlySet<string> = new Set<keyof Calls>(['runSql']);

/**
 * Keeps the engine's process running. An error of one question is that question's alone. A process that can't answer any
 * more is replaced by another one over the same file, and what was asked of it meanwhile is asked again. One that ends by
 * itself counts as trouble: after the second within a minute the file is begun anew, since what it was fed from is still
 * in the cache, and after the third calls fail with `analysis.stopped` until a minute is over. One that has fed many
 * records, of `manyRecords` on, ends once nobody needs it, and another one goes on.
 */
export function createEngine(options: {
  readonly startProcess: StartEngineProcess;
  readonly start: Omit<EngineStart, 'mark' | 'isInDoubt'>;
  readonly logger: Logger;
  now(): number;
  /** What connections say; the outcomes of one without its own rules are those of the default ones. */
  listRules?(): RulesByConnection;
  /** Keeps patterns of errors in the cache. What it fails to keep is found again by the next process. */
  keepPatterns?(kept: {
    readonly found: readonly FoundPatterns[];
    readonly cacheIdentity: string;
  }): Promise<void>;
  readonly manyRecords?: number;
  /** What a statement may take beyond the process at rest. */
  readonly sqlMemoryMb?: number;
  /** How long a question with a pattern may take. */
  readonly patternLimitMs?: number;
}): Engine {
  const { startProcess, start, logger, now, keepPatterns, manyRecords = MANY_RECORDS, sqlMemoryMb } = options;
  const { patternLimitMs = PATTERN_LIMIT_MS } = options;
  emptyFilesFolder(start.engineFile);
  const listeners = new Set<(progress: FeedProgress | null) => void>();
  let generation = 0;
  let troublesMs: number[] = [];
  let openCalls = 0;
  /** Two processes never have the file at once: the later one would take it for damaged. */
  let ending: Promise<void> = Promise.resolve();
  let isClosed = false;
  let running: (RunningEngine & { readonly memory: MemoryWatch }) | null = null;
  /** The file was found to be damaged. */
  let isDamaged = false;
  let timer: NodeJS.Timeout | null = null;
  let feeding: Promise<void> = Promise.resolve();
  const fedListeners = new Set<() => void>();
  /** How far each snapshot has been fed, as the process that is running last said. */
  let fed = new Map<number, FedMark>();

  const noteFed = (marks: Map<number, FedMark>): void => {
    fed = marks;
    for (const listener of fedListeners) listener();
  };
  let feedCount = 0;
  let fedRecords = 0;
  let keepTimer: NodeJS.Timeout | null = null;
  const keepSoon = (): void => {
    if (isClosed || keepTimer !== null) return;
    const before = fedRecords;
    keepTimer = setTimeout(() => {
      keepTimer = null;
      if (fedRecords - before > BUSY_RECORDS) keepSoon();
      // What isn't kept is gathered when it is asked for.
      else running?.call('keepConversations', null).catch(() => undefined);
    }, KEEP_DELAY_MS);
    keepTimer.unref();
  };
  const notify = (progress: FeedProgress | null): void => {
    for (const listener of listeners) listener(progress);
  };
  /** Ends a process that can't answer; the next one opens the same file. Nothing else is asked of this one. */
  const replace = (own: RunningEngine): void => {
    if (running !== own) return;
    running = null;
    own.kill();
    ending = Promise.all([ending, own.exited]).then(() => undefined);
    noteChange();
  };
  /** A call that is lost with its process is made anew of the next one. */
  const tellRules = (engine: RunningEngine): void => {
    const rules = options.listRules?.() ?? { outcomes: {}, families: {}, tables: {} };
    engine.call('setRules', rules).catch(() => undefined);
  };
  const run = (): NonNullable<typeof running> => {
    if (isClosed) throw new AppError('app.cancelled', 'The application is closing.');
    if (running !== null) return running;
    troublesMs = troublesMs.filter((atMs) => now() - atMs < TROUBLE_MS);
    if (troublesMs.length >= MAX_RESTARTS) {
      throw new AppError('analysis.stopped', 'The analysis engine keeps ending.', {});
    }
    generation += 1;
    const isInDoubt = isDamaged || troublesMs.length > 1;
    const started = startEngine(startProcess, { ...start, mark: String(generation), isInDoubt }, logger);
    const memory = createMemoryWatch({
      readBytes: started.readMemory,
      maxMb: sqlMemoryMb,
      endProcess: () => {
        logger.warn('engine ended', { reason: 'A statement took too much memory.' });
        replace(own);
      },
    });
    const own = { ...started, memory };
    tellRules(own);
    running = own;
    let hasNoRoom = false;
    own.started.then(
      () => (isDamaged = false),
      (error: unknown) => {
        hasNoRoom = error instanceof AppError && error.code === 'cache.disk-full';
        logger.error('engine not started', { error });
      },
    );
    void own.exited.then((reason) => {
      if (running !== own || isClosed) return;
      running = null;
      noteFed(new Map());
      logger.warn('engine ended', { reason });
      // Another start would find the disk as full: it is tried when something is asked, or new.
      if (hasNoRoom) return;
      troublesMs.push(now());
      noteChange();
    });
    return own;
  };
  const follow = async (): Promise<void> => {
    await ending;
    const engine = run();
    await engine.started;
    let lastFed = Infinity;
    const { marks, found, cacheIdentity } = (await askOnce(engine, 'follow', null, {
      onProgress(reported) {
        const progress = reported as FeedProgress;
        fedRecords += Math.max(0, progress.fed - lastFed);
        lastFed = progress.fed;
        if (running === engine) noteFed(fed.set(progress.mark.snapshotId, progress.mark));
        notify(progress);
      },
    })) as Awaited<ReturnType<EngineOperations['follow']>>;
    if (running === engine) noteFed(new Map(marks.map((mark) => [mark.snapshotId, mark])));
    if (found.length > 0)
      await keepPatterns?.({ found, cacheIdentity }).catch((error: unknown) =>
        logger.warn('patterns not kept', { error }),
      );
    notify(null);
    engine.memory.forgetRest();
    const load = (await engine.call('readLoad', null)) as ReturnType<EngineOperations['readLoad']>;
    const isNeeded = load.isInUse || openCalls > 0 || running !== engine || isClosed;
    if (load.fedRecords > manyRecords && !isNeeded) await restart();
    keepSoon();
  };
  const restart = async (): Promise<void> => {
    const before = running;
    running = null;
    ending = Promise.all([ending, before?.end()]).then(() => undefined);
    await ending;
    noteChange();
  };
  const letGo = async (until: Promise<unknown>): Promise<void> => {
    const before = running;
    running = null;
    const ended = Promise.all([ending, before?.end()]).then(() => undefined);
    ending = Promise.allSettled([ended, until]).then(() => undefined);
    await ended;
  };
  const catchUp = (): Promise<void> => {
    feedCount += 1;
    const caughtUp = feeding.then(follow);
    feeding = caughtUp
      .catch((error: unknown) => logger.warn('engine not fed', { error }))
      .then(() => void (feedCount -= 1));
    return caughtUp;
  };
  const noteChange = (): void => {
    if (isClosed || timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      catchUp().catch(() => undefined);
    }, FOLLOW_DELAY_MS);
    timer.unref();
  };
  /** Asks a process, and replaces it where its error says that it can't answer any more. */
  const askOnce = async (
    engine: NonNullable<typeof running>,
    name: string,
    input: unknown,
    callOptions?: CallOptions,
  ): Promise<unknown> => {
    try {
      if (name !== ('runSql' satisfies keyof Calls)) return await engine.call(name, input, callOptions);
      return await engine.memory.watch(
        (signal) => engine.call(name, input, { ...callOptions, signal }),
        callOptions?.signal,
      );
    } catch (error) {
      const { state, isVictim } = error instanceof AppError ? error.details : {};
      if (state === 'damaged') {
        if (running === engine) troublesMs.push(now());
        isDamaged = true;
        // The next process begins its file anew.
        noteFed(new Map());
      }
      if (state === 'damaged' || state === 'closed') replace(engine);
      if (state === 'damaged' || isVictim === 1) throw new Unanswered(error);
      throw error;
    }
  };
  const callOnce = async (name: string, input: unknown, callOptions?: CallOptions): Promise<unknown> => {
    openCalls += 1;
    try {
      await ending;
      const engine = run();
      await engine.started;
      return await askOnce(engine, name, input, callOptions);
    } finally {
      openCalls -= 1;
    }
  };
  const call = async (name: string, input: unknown, callOptions?: CallOptions): Promise<unknown> => {
    try {
      return await callOnce(name, input, callOptions);
    } catch (error) {
      // Whatever ended the process, a new one over a new file may know; a view of the old one is closed.
      if (!(error instanceof AppError) || error.code !== 'analysis.stopped' || isClosed) throw error;
      if (ASKED_ONCE.has(name) && !(error instanceof Unanswered)) throw error;
      return callOnce(name, input, callOptions);
    }
  };

  const abandon = async (): Promise<void> => {
    const own = running;
    if (own === null) return;
    replace(own);
    await own.exited;
  };
  const wake = async (): Promise<void> => {
    await ending;
    await run().started;
  };
  const limited = limitPatterns({
    call,
    abandon,
    start: wake,
    isFeeding: () => feedCount > 0,
    limitMs: patternLimitMs,
  });
  const calls = Object.fromEntries(
    NAMES.map((name) => [
      name,
      (input: unknown, callOptions?: CallOptions) => limited(name, input, callOptions),
    ]),
  ) as unknown as Calls;
  return {
    ...calls,
    // What keeps it from starting, the first question says.
    wake: () => void wake().catch(() => undefined),
    noteChange,
    noteConnections() {
      if (running !== null) tellRules(running);
    },
    noteRules() {
      if (running !== null) tellRules(running);
      return catchUp();
    },
    catchUp,
    countFed(snapshotId, reading) {
      const mark = fed.get(snapshotId);
      return mark?.reading === reading ? mark.recordCount : 0;
    },
    watchFed: (listener) => void fedListeners.add(listener),
    watchFeed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    restart,
    letGo,
    abandon,
    async close() {
      isClosed = true;
      for (const each of [timer, keepTimer]) if (each !== null) clearTimeout(each);
      await running?.end();
    },
  };
}

/** What was asked of a process after it could not answer any more. */
class Unanswered extends AppError {
  constructor(cause: unknown) {
    super('analysis.stopped', 'The analysis engine had to be opened again.', {}, cause);
  }
}
