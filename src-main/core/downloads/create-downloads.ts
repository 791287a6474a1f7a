import type { Emit } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import { createDownloadRunner, type DownloadRunner } from './create-download-runner.ts';
import { createDownloadStarter, type DownloadStarter } from './create-download-starter.ts';
import { createFetchQueue, type FetchQueue } from './fetch-queue.ts';
import { createDownloadClock, type DownloadClock } from './sleep-awake.ts';

/** What fetches reports into the cache: the starter writes downloads to the queue, the runner works it off. */
export interface Downloads {
  readonly runner: DownloadRunner;
  readonly starter: DownloadStarter;
  /** Following waits in it too. */
  readonly queue: FetchQueue;
}

/** Builds the runner and the starter of downloads, which outlast the application. */
export function createDownloads(options: {
  readonly cache: Cache;
  readonly connections: ConnectionStore;
  readonly tasks: TaskRegistry;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
  /** Settles once a connection's service has started, where the application itself is starting it. */
  readonly whenStarted?: (connectionId: string) => Promise<void>;
  readonly clock?: DownloadClock;
  /** Returns a number from 0 up to 1. */
  readonly random?: () => number;
}): Downloads {
  const { now, clock = createDownloadClock(now), random = Math.random } = options;
  const { whenStarted = () => Promise.resolve() } = options;
  const queue = createFetchQueue(clock.now);
  const runner = createDownloadRunner({ ...options, queue, clock, random, whenStarted });
  return { queue, runner, starter: createDownloadStarter({ ...options, runner }) };
}
