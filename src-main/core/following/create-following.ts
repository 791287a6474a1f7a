import type { HandlersOf } from '../../common/contract/index.ts';
import type { Following } from '../../common/contract/operations/cache.ts';
import { toFollowOptions } from '../../common/model/connections/connection.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { FetchQueue } from '../downloads/fetch-queue.ts';
import { judgeTurn } from '../downloads/judge-failure.ts';
import type { Logger } from '../logging/logger.ts';
import { createTurns, type TurnParts, type TurnResult, type Turns } from './run-turn.ts';

/** Keeps the cache up to date with the services of connections that are followed. */
interface FollowingService {
  /** Begins the turns that are due; called every second. Settles once they have ended. */
  look(): Promise<void>;
  list(): Following[];
  /** Forgets a refusal, and is due at once. */
  wake(connectionId: string): Following;
  /** What following a connection has still to fetch of a report, or to look at again; null where it does neither. */
  findPending(connectionId: string, report: DetailKind): Promise<TimeSpan | null>;
  stop(): Promise<void>;
}

interface Follower {
  readonly turns: Turns;
  readonly controller: AbortController;
  underWay: Promise<void> | null;
  state: Following['state'];
  /** Null where a person must act first. */
  dueAtMs: number | null;
  setAtMs: number;
  /** How often it was told that its connection is another one. */
  wakings: number;
  failures: number;
  failure: Following['failure'];
  failingSinceMs: number | null;
  lastTurnAtMs: number | null;
  last: TurnResult | null;
}

const LOOK_EVERY_MS = 1_000;
/** The first turns after the start follow one another. */
const STAGGER_MS = 2_000;
/** A connection that is less than this behind is up to date: that much appears during a turn. */
const BEHIND_MS = 10_000;
const MIN_PAUSE_MS = 500;
/** A slow service is asked for a small part of the time. */
const REST_FACTOR = 4;

/** Builds the following of connections; `start` lets it look by itself, until it is stopped. */
export function createFollowing(
  options: TurnParts & {
    readonly connections: Pick<ConnectionStore, 'get' | 'clientFor' | 'listSaved' | 'watchSaved'>;
    readonly logger: Logger;
    readonly queue: Pick<FetchQueue, 'turn' | 'fallBack'>;
    /** From 0 up to 1. */
    random(): number;
  },
): FollowingService & { start(): void } {
  const { connections, emit, logger, now, queue, random } = options;
  const followers = new Map<string, Follower>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const show = (connectionId: string): Following => {
    const follower = followers.get(connectionId);
    return {
      connectionId,
      state: follower?.state ?? 'off',
      lastTurnAtMs: follower?.lastTurnAtMs ?? null,
      nextTurnAtMs: follower?.dueAtMs ?? null,
      behindMs: follower?.state === 'catching-up' ? (follower.last?.behindMs ?? 0) : 0,
      failure: follower?.failure ?? null,
      failingSinceMs: follower?.failingSinceMs ?? null,
    };
  };
  const announce = (connectionId: string): void => emit('following/changed', show(connectionId));
  const setDue = (follower: Follower, delayMs: number | null): void => {
    follower.setAtMs = now();
    follower.dueAtMs = delayMs === null ? null : follower.setAtMs + Math.round(delayMs);
  };
  const begin = (connectionId: string, delayMs: number): Follower => {
    const follower: Follower = {
      turns: createTurns(connectionId, options),
      controller: new AbortController(),
      underWay: null,
      state: 'starting',
      dueAtMs: null,
      setAtMs: now(),
      wakings: 0,
      failures: 0,
      failure: null,
      failingSinceMs: null,
      lastTurnAtMs: null,
      last: null,
    };
    setDue(follower, delayMs);
    followers.set(connectionId, follower);
    announce(connectionId);
    return follower;
  };

  const endWell = (follower: Follower, id: string, result: TurnResult, startedAtMs: number): void => {
    const { followSeconds } = toFollowOptions(connections.get(id));
    const tookMs = Math.max(0, now() - startedAtMs);
    const isBehind = result.behindMs > BEHIND_MS;
    if (follower.failure !== null) logger.info('following goes on', { connectionId: id });
    follower.state = isBehind ? 'catching-up' : 'following';
    follower.last = result;
    follower.lastTurnAtMs = now();
    forgetFailure(follower);
    const intervalMs = followSeconds * 1_000;
    const restMs = Math.max(intervalMs * (0.95 + random() / 10), tookMs * REST_FACTOR);
    setDue(follower, isBehind ? Math.max(MIN_PAUSE_MS, tookMs) : restMs);
  };
  const endBadly = (follower: Follower, { id, kind }: SavedConnection, thrown: unknown): void => {
    follower.failures += 1;
    const { failures, turns } = follower;
    const intervalMs = toFollowOptions(connections.get(id)).followSeconds * 1_000;
    const verdict = judgeTurn(thrown, { failures, intervalMs, isLocal: kind === 'local' });
    turns.shrink(verdict.isTooMuch);
    if (verdict.state === 'failing') queue.fallBack(id);
    if (follower.failure?.code !== verdict.failure.code) {
      logger.warn('following failed', { connectionId: id, code: verdict.failure.code, error: thrown });
    }
    follower.state = verdict.state;
    follower.failure = verdict.failure;
    follower.failingSinceMs ??= now();
    setDue(follower, verdict.delayMs);
  };
  const takeTurn = async (follower: Follower, connection: SavedConnection): Promise<void> => {
    const { signal } = follower.controller;
    const startedAtMs = now();
    const { wakings } = follower;
    // If the connection has changed meanwhile, the outcome of this turn no longer counts.
    const counts = (): boolean => !signal.aborted && follower.wakings === wakings;
    try {
      const result = await follower.turns.run(signal);
      if (counts()) endWell(follower, connection.id, result, startedAtMs);
    } catch (error) {
      if (counts()) endBadly(follower, connection, error);
    }
    if (!signal.aborted) announce(connection.id);
  };
  const end = (connectionId: string, follower: Follower): void => {
    follower.controller.abort();
    followers.delete(connectionId);
    announce(connectionId);
  };
  const isDue = ({ dueAtMs, setAtMs, underWay }: Follower): boolean =>
    underWay === null && dueAtMs !== null && (now() >= dueAtMs || now() < setAtMs);

  const look = async (): Promise<void> => {
    const followed = connections.listSaved().filter((connection) => toFollowOptions(connection).followed);
    for (const [id, follower] of followers) {
      if (!followed.some((connection) => connection.id === id)) end(id, follower);
    }
    const turns: Promise<void>[] = [];
    for (const [place, connection] of followed.entries()) {
      const { id } = connection;
      const follower = followers.get(id) ?? begin(id, place * STAGGER_MS);
      if (!isDue(follower)) continue;
      follower.underWay = queue
        .turn(() => takeTurn(follower, connection), follower.controller.signal)
        // A connection that was removed meanwhile ends at the next look.
        .catch(() => undefined)
        .finally(() => (follower.underWay = null));
      turns.push(follower.underWay);
    }
    await Promise.all(turns);
  };
  const wake = (connectionId: string): Following => {
    const isFollowed = toFollowOptions(connections.get(connectionId)).followed;
    const follower = followers.get(connectionId);
    if (!isFollowed && follower !== undefined) end(connectionId, follower);
    if (!isFollowed) return show(connectionId);
    if (follower === undefined) begin(connectionId, 0);
    else {
      if (follower.failure !== null) follower.state = 'starting';
      forgetFailure(follower);
      follower.wakings += 1;
      setDue(follower, 0);
      announce(connectionId);
    }
    return show(connectionId);
  };
  connections.watchSaved((connectionId) => void wake(connectionId));

  return {
    look,
    list: () => connections.listSaved().map(({ id }) => show(id)),
    wake,
    async findPending(connectionId, report) {
      const follower = followers.get(connectionId);
      if (follower === undefined || follower.dueAtMs === null || follower.state === 'paused') return null;
      const fromMs = follower.last?.pendingFromMs ?? (await follower.turns.findPending(report));
      return { fromMs, toMs: now() };
    },
    start() {
      // Looking is quick: turns go on by themselves.
      timer = setInterval(() => {
        if (!isStopped) look().catch((error: unknown) => logger.error('following stopped', { error }));
      }, LOOK_EVERY_MS).unref();
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      const underWay = [...followers.values()].flatMap((follower) => follower.underWay ?? []);
      for (const follower of followers.values()) follower.controller.abort();
      await Promise.all(underWay);
    },
  };
}

function forgetFailure(follower: Follower): void {
  follower.failures = 0;
  follower.failure = null;
  follower.failingSinceMs = null;
}

/** The handlers of `following/…`. */
export function createFollowingHandlers(parts: {
  readonly connections: Pick<ConnectionStore, 'saveFollowed'>;
  readonly following: Pick<FollowingService, 'list' | 'wake'>;
}): HandlersOf<'following'> {
  const { connections, following } = parts;
  return {
    'following/list': () => following.list(),
    'following/switch': async ({ connectionId, followed }) => {
      await connections.saveFollowed(connectionId, followed);
      return following.wake(connectionId);
    },
  };
}
