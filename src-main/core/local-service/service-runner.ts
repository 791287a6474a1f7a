import { Worker } from 'node:worker_threads';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type {
  FromServiceThread,
  ServiceStartOptions,
  ToServiceThread,
} from '../../common/local-service-messages.ts';
import {
  type LocalServiceState,
  NO_SIMULATION,
  type QuirkName,
  type Simulation,
} from '../../common/model/connections/local-service.ts';
import { MINUTE_MS } from '../../common/time/durations.ts';
import { createWorkQueue } from '../../node/gate.ts';
import type { Logger } from '../logging/logger.ts';
import { createProgressRate, type ProgressRate } from '../tasks/task-registry.ts';

interface ServiceRunnerOptions {
  readonly script: URL;
  readonly folder: string;
  readonly tenant: number;
  readonly live: boolean;
  /** Port of the last run, so that its address stays; 0 where there was none. */
  readonly port: number;
  readonly policy: RestartPolicy;
  readonly logger: Logger;
  now(): number;
  onChanged(state: LocalServiceState): void;
  /** Makes or updates the service's connection, before it counts as running. */
  onReady(ready: ReadyService): Promise<void>;
  readonly onRequests: Parameters<typeof startServiceThread>[0]['onRequests'];
  readonly onImport: Parameters<typeof startServiceThread>[0]['onImport'];
  /** A running service is about to be stopped. */
  onStopping(): void;
  /** A running service is gone, on purpose or not. */
  onGone(error: AppError): void;
}

/** Runs the service: one start or stop at a time, and starts it again when it ended unexpectedly. */
export interface ServiceRunner {
  readonly state: LocalServiceState;
  /** Throws `local-service.not-running`. */
  requireThread(): ServiceThread;
  /** Returns at once when it is running. Throws `local-service.start-failed` and what `onReady` throws. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Starts it with what has changed; a service that is not running is started too. */
  restart(): Promise<void>;
  /** Applied at once to a running service, else when it starts. */
  setLive(live: boolean): void;
  setSimulation(simulation: Simulation): void;
  /** Started again with them where it is running. */
  setQuirks(quirks: QuirkName[]): Promise<void>;
  /** Settles once no start, stop or restart is under way. */
  whenSettled(): Promise<void>;
}

function toInitialState(options: ServiceRunnerOptions): LocalServiceState {
  return {
    state: 'stopped',
    url: null,
    tenant: options.tenant,
    inboundRecords: null,
    outboundRecords: null,
    storeBytes: null,
    startedAtMs: null,
    live: options.live,
    trafficPerSecond: null,
    dataFolder: options.folder,
    simulation: NO_SIMULATION,
    quirks: [],
    restartAtMs: null,
    error: null,
  };
}

/** Builds the runner; nothing is started yet. */
export function createServiceRunner(options: ServiceRunnerOptions): ServiceRunner {
  const { policy, logger, now } = options;
  let thread: ServiceThread | null = null;
  let port = options.port;
  let rate: ProgressRate | null = null;
  let restartTimer: NodeJS.Timeout | undefined;
  let state = toInitialState(options);
  const change = (next: Partial<LocalServiceState>): void => {
    state = { ...state, ...next };
    options.onChanged(state);
  };
  /** A start must not overlap a stop. */
  const inTurn = createWorkQueue();

  const takeStats = ({ inboundRecords, outboundRecords, storeBytes }: ServiceStats): void => {
    rate ??= createProgressRate(now());
    rate.add(now(), inboundRecords + outboundRecords);
    change({ inboundRecords, outboundRecords, storeBytes, trafficPerSecond: rate.read(now()) });
  };

  const tellLive = (): void => thread?.send({ kind: 'set-live', live: state.live });
  const tellSimulation = (): void => {
    thread?.send({ kind: 'set-simulation', simulation: state.simulation });
  };
  const open = async (wantedPort: number): Promise<ReadyService> => {
    const { tenant, live, simulation, quirks } = state;
    const started = startServiceThread({
      script: options.script,
      workerData: { dataFolder: options.folder, tenant, live, port: wantedPort, quirks, simulation },
      onStats: takeStats,
      onRequests: options.onRequests,
      onImport: (message) => {
        // Imported records are no traffic.
        rate = null;
        options.onImport(message);
      },
      onEnded: (cause) => {
        if (thread !== started) return;
        thread = null;
        const code = cause === null ? 'app.cancelled' : 'local-service.crashed';
        options.onGone(new AppError(code, 'The local service has ended.', {}, cause));
        if (cause !== null) handleCrash(cause);
      },
    });
    try {
      const ready = await started.ready;
      await options.onReady(ready);
      if (started.hasEnded())
        throw new AppError('local-service.start-failed', 'It ended at once.', { reason: '' });
      thread = started;
      // Switched while it was starting.
      if (state.live !== live) tellLive();
      if (state.simulation !== simulation) tellSimulation();
      port = Number(new URL(ready.url).port);
      return ready;
    } catch (error) {
      await started.stop();
      throw error;
    }
  };

  const startNow = async (): Promise<void> => {
    rate = null;
    change({ state: 'starting', error: null, restartAtMs: null, trafficPerSecond: null });
    try {
      // Another program may have taken the port meanwhile; the connection then gets a new address.
      const ready = await open(port).catch((error: unknown) => {
        if (port === 0) throw error;
        logger.warn('local service did not start on its port', { port });
        return open(0);
      });
      change({ state: 'running', url: ready.url, tenant: ready.tenant, startedAtMs: now() });
    } catch (error) {
      logger.error('local service did not start', { error });
      change({ state: 'failed', url: null, startedAtMs: null, error: toErrorInfo(error) });
      throw error;
    }
  };

  const stopNow = async (): Promise<void> => {
    clearTimeout(restartTimer);
    if (thread !== null) {
      change({ state: 'stopping' });
      options.onStopping();
      await thread.stop();
    }
    const isStopped = { state: 'stopped', url: null, startedAtMs: null, restartAtMs: null } as const;
    if (state.state !== 'stopped') change({ ...isStopped, trafficPerSecond: null, error: null });
  };

  const handleCrash = (cause: unknown): void => {
    const waitMs = policy.countCrash();
    logger.error('local service crashed', { error: cause, startedAgainInMs: waitMs ?? 'never' });
    const error = toErrorInfo(
      new AppError(
        waitMs === null ? 'local-service.keeps-crashing' : 'local-service.crashed',
        'The local service ended unexpectedly.',
      ),
    );
    const gone = { url: null, startedAtMs: null, trafficPerSecond: null, error };
    if (waitMs === null) {
      change({ ...gone, state: 'failed' });
      return;
    }
    change({ ...gone, state: 'crashed', restartAtMs: now() + waitMs });
    restartTimer = setTimeout(() => void inTurn(startAgain), waitMs);
  };
  const startAgain = async (): Promise<void> => {
    // The user may have started it meanwhile.
    if (state.state === 'crashed') await startNow().catch(handleCrash);
  };

  const startUnlessRunning = async (): Promise<void> => {
    if (thread !== null) return;
    clearTimeout(restartTimer);
    policy.forget();
    await startNow();
  };

  const restartNow = async (): Promise<void> => {
    if (thread !== null) {
      change({ state: 'stopping' });
      options.onStopping();
      await thread.stop();
    }
    await startUnlessRunning();
  };

  return {
    get state() {
      return state;
    },
    requireThread: () => {
      if (thread === null)
        throw new AppError('local-service.not-running', 'The local service is not running.');
      return thread;
    },
    start: () => inTurn(startUnlessRunning),
    stop: () => inTurn(stopNow),
    restart: () => inTurn(restartNow),
    whenSettled: async () => {
      await inTurn(() => Promise.resolve());
    },
    setLive: (live) => {
      change({ live });
      tellLive();
    },
    setSimulation: (simulation) => {
      change({ simulation });
      tellSimulation();
    },
    setQuirks: (quirks) =>
      inTurn(async () => {
        change({ quirks });
        if (thread !== null) await restartNow();
      }),
  };
}

const WINDOW_MS = 5 * MINUTE_MS;

/** Milliseconds to wait after the first and the second crash within five minutes; after a third it isn't restarted. */
export const RESTART_DELAYS_MS: readonly number[] = [1_000, 5_000];

/** Decides whether a service that ended unexpectedly is started again. */
interface RestartPolicy {
  /** Counts a crash; returns milliseconds until the next start, or null when there is none. */
  countCrash(): number | null;
  /** The user started it: earlier crashes no longer count. */
  forget(): void;
}

/** A service that keeps crashing must not keep the computer busy for ever. */
export function createRestartPolicy(now: () => number, delaysMs: readonly number[]): RestartPolicy {
  let crashesMs: number[] = [];
  return {
    countCrash: () => {
      const nowMs = now();
      crashesMs = [...crashesMs.filter((crashedAtMs) => nowMs - crashedAtMs < WINDOW_MS), nowMs];
      return delaysMs[crashesMs.length - 1] ?? null;
    },
    forget: () => {
      crashesMs = [];
    },
  };
}

/** A thread that has not ended this long after it was asked to is terminated; its store survives that. */
const MAX_STOP_MS = 8_000;

type Told<Kind extends FromServiceThread['kind']> = Extract<FromServiceThread, { kind: Kind }>;
export type ReadyService = Told<'ready'>;
type ServiceStats = Told<'stats'>;
type AnsweredRequests = Told<'requests'>;
export type ImportMessage = Told<'import-progressed'> | Told<'import-ended'>;

/** The running thread of the bundled service. */
export interface ServiceThread {
  /** Rejects with `local-service.start-failed`. */
  readonly ready: Promise<ReadyService>;
  hasEnded(): boolean;
  send(message: Exclude<ToServiceThread, { kind: 'stop' }>): void;
  /** Asks it to end, and terminates it when it doesn't. */
  stop(): Promise<void>;
}

/** Starts the bundled service in a thread of its own, so that neither its work nor its crash reaches the window. */
function startServiceThread(options: {
  script: URL;
  workerData: ServiceStartOptions;
  onStats(stats: ServiceStats): void;
  onRequests(answered: AnsweredRequests): void;
  onImport(message: ImportMessage): void;
  /** Once it was ready: `cause` is null when it was asked to end, else what ended it. */
  onEnded(cause: Error | null): void;
}): ServiceThread {
  const worker = new Worker(options.script, {
    workerData: options.workerData,
    name: 'local-service',
    // Without it the young generation grows to 128 MB for what the first fill needs for a moment.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
  });
  const send = (message: ToServiceThread): void => worker.postMessage(message);
  const { promise: ready, resolve, reject } = Promise.withResolvers<ReadyService>();
  ready.catch(() => undefined);
  let isStopping = false;
  let isReady = false;
  let isOver = false;
  let cause: Error | null = null;
  const fail = (reason: string): void =>
    reject(new AppError('local-service.start-failed', 'The local service did not start.', { reason }, cause));

  worker.on('message', (message: FromServiceThread) => {
    switch (message.kind) {
      case 'ready':
        isReady = true;
        resolve(message);
        return;
      case 'stats':
        options.onStats(message);
        return;
      case 'requests':
        options.onRequests(message);
        return;
      case 'import-progressed':
      case 'import-ended':
        options.onImport(message);
        return;
      case 'failed':
        fail(message.message);
        return;
      case 'stopped':
    }
  });
  worker.on('error', (error: Error) => {
    cause = error;
    fail(error.message);
  });
  const exited = new Promise<void>((resolveExit) => {
    worker.on('exit', (code) => {
      isOver = true;
      fail('The thread ended.');
      if (isReady) options.onEnded(isStopping ? null : (cause ?? new Error(`Exit code ${String(code)}.`)));
      resolveExit();
    });
  });

  return {
    ready,
    hasEnded: () => isOver,
    send,
    stop: async () => {
      isStopping = true;
      send({ kind: 'stop' });
      const limit = setTimeout(() => void worker.terminate(), MAX_STOP_MS);
      await exited.finally(() => clearTimeout(limit));
    },
  };
}
