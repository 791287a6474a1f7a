import { setTimeout as wait } from 'node:timers/promises';
import { toErrorInfo } from '../common/contract/errors.ts';
import type { Words } from '../common/words/words.ts';
import { OPERATIONS } from '../common/contract/index.ts';
import { claimDataFolder } from './data-folder/claim-data-folder.ts';
import { createFolderMover } from './data-folder/create-folder-mover.ts';
import { createHandlers } from './create-handlers.ts';
import { createParts, type PartOverrides, type Parts } from './create-parts.ts';
import { createDispatcher, type Dispatch } from './dispatch/create-dispatcher.ts';
import { resumeOncePossible } from './downloads/judge-failure.ts';
import type { EventListener } from './events.ts';
import type { Host } from './host.ts';
import type { Logger } from './logging/logger.ts';
import { cleanOldPages } from './snapshots/housekeeping.ts';

/** The running application, whatever carries its messages. */
export interface Core {
  readonly call: Dispatch;
  /** The same for a window: masked while the settings say so. */
  readonly callFromWindow: Dispatch;
  /** Notifies `listener` of every event, until the returned function is called. */
  on(listener: EventListener): () => void;
  /** What the host says itself, in the language of the settings as it is now. */
  readonly readWords: () => Words;
  /** For what goes wrong in the host itself. */
  readonly logger: Logger;
  stop(): Promise<void>;
}

export interface CoreOptions extends PartOverrides {
  /**
   * What goes on without being called for: everything, as a window needs it; following connections, also with their alerts
   * and the messages about these (watching); or nothing, for a program that does one thing and ends.
   */
  readonly byItself?: 'everything' | 'watching' | 'following' | 'nothing';
  /** How long what can wait does, so that a window which opens meanwhile has the computer to itself; none by itself. */
  readonly calmMs?: number;
  /** The person asked for a start without anything that goes on by itself, to find out what is wrong. */
  readonly isSafe?: boolean;
}

/**
 * Claims the data folder, builds the parts, gives them to the handlers, and starts what runs in the background.
 * Rejects with an AppError (`cache.newer`, `cache.locked` …) when the data folder can't be used; nothing is left
 * running then.
 */
export async function createCore(host: Host, options: CoreOptions = {}): Promise<Core> {
  const { isSafe = false, calmMs = 0, byItself = isSafe ? 'nothing' : 'everything', ...overrides } = options;
  const releaseFolder = host.releaseFolder ?? claimDataFolder(host.dataFolder);
  try {
    const parts = await createParts(host, overrides, calmMs);
    let ending: Promise<void> | null = null;
    const end = (): Promise<void> => (ending ??= endParts(parts));
    const mover = createFolderMover({
      ...parts,
      logger: parts.logger.child('data-folder'),
      close: end,
    });
    const handlers = createHandlers(parts, { isSafe, mover });
    const call = mover.guard(createDispatcher(handlers, parts.logger, parts.now));
    parts.logger.info('ready', { operations: Object.keys(OPERATIONS).length });
    let hasBegun = false;
    const begin = (): void => {
      if (hasBegun || ending !== null) return;
      hasBegun = true;
      // A window that opens asks for its figures next.
      if (calmMs > 0) parts.engine.wake();
      if (parts.settings.get().startLocalService) void call('local-service/start', null);
    };

    if (byItself === 'everything') {
      resumeOncePossible({
        cache: parts.cache,
        events: parts.events,
        downloads: handlers,
        logger: parts.logger.child('downloads'),
      });
      // Until a window's first call, what it is made of has the processor to itself.
      if (calmMs > 0) setTimeout(begin, calmMs).unref();
      else begin();
      void resumeThenClean(parts, async () => {
        if (calmMs > 0) await wait(calmMs, undefined, { ref: false });
        return ending === null;
      });
      parts.schedules.start();
      parts.destinations.start();
      parts.sharedWork.link.start();
      parts.updates.start();
    } else if (byItself === 'watching') {
      parts.destinations.start();
      parts.sharedWork.link.start();
    } else {
      // Nobody would see a note: what it is about must not count as told.
      await parts.alerts.stop();
      parts.monitor.stop();
    }
    if (byItself !== 'nothing') parts.following.start();
    return {
      call,
      callFromWindow:
        byItself === 'everything' ? onFirstCall(parts.maskWindow(call), begin) : parts.maskWindow(call),
      on: parts.events.onAny,
      readWords: parts.readWords,
      logger: parts.logger.child('host'),
      stop: () => {
        parts.events.close();
        return end().finally(releaseFolder);
      },
    };
  } catch (error) {
    releaseFolder();
    throw error;
  }
}

/** Begins with the first call. */
function onFirstCall(call: Dispatch, begin: () => void): Dispatch {
  return (...input) => {
    begin();
    return call(...input);
  };
}

/** Retention comes last: a download that is about to continue must not look abandoned. `mayClean` resolves once it may begin. */
async function resumeThenClean(parts: Parts, mayClean: () => Promise<boolean>): Promise<void> {
  const { starter, housekeeping, logger } = parts;
  await starter.resumeInterrupted().catch((error: unknown) => {
    logger.error('downloads were not resumed', { error });
  });
  if (!(await mayClean())) return;
  await housekeeping.begin();
  await cleanOldPages({ ...parts, logger: logger.child('cache'), logs: logger });
}

/** Ends all work, and closes every file of the data folder. */
async function endParts({
  alerts,
  datasets,
  destinations,
  following,
  monitor,
  schedules,
  sharedWork,
  housekeeping,
  aheadJudge,
  tasks,
  updates,
  localService,
  engine,
  cache,
  logger,
}: Parts): Promise<void> {
  monitor.stop();
  housekeeping.stop();
  aheadJudge.stop();
  datasets.stop();
  schedules.stop();
  destinations.stop();
  updates.stop();
  // Each step on its own: one that fails must not keep the others from their clean end.
  const steps = [
    () => sharedWork.link.stop(),
    () => following.stop(),
    () => alerts.stop(),
    () => tasks.stop(),
    () => localService.runner.stop(),
    () => engine.close(),
    () => cache.close(),
  ];
  for (const step of steps) {
    await step().catch((error: unknown) => logger.error('stop failed', { ...toErrorInfo(error) }));
  }
  logger.info('stopped');
  await logger.close();
}
