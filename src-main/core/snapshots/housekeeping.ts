import { toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import { type RetiredSnapshot, type Snapshot, toFetchedAtMs } from '../../common/model/cache/snapshot.ts';
import { DAY_MS, HOUR_MS } from '../../common/time/durations.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Events } from '../host.ts';
import type { FileLogger, Logger } from '../logging/logger.ts';
import { createKnownSecrets } from '../secrets/secret-cleaner.ts';
import type { SettingsStore } from '../settings/create-settings.ts';

/** A removal can be undone for this long. */
const UNDO_MS = 300_000;
/** How often it is looked whether a day has passed: the computer may have slept meanwhile. */
const LOOK_MS = HOUR_MS;

export interface Housekeeping {
  /** Hides snapshots, and has them deleted for good later. Resolves with the time until which that can be undone. */
  remove(snapshotIds: readonly number[]): Promise<number>;
  /** Deletes for good what was removed until now; resolves with the bytes freed on the disk. */
  purge(): Promise<number>;
  /** Does what is due when the application starts: deletes what was removed before, then applies retention. */
  begin(): Promise<void>;
  stop(): void;
}

/**
 * Deletes removed snapshots in time, and applies retention: after each download, once a day while the application only
 * follows, and when its settings change. Its removals can be undone for as long as the user's own.
 */
export function createHousekeeping(options: {
  cache: Cache;
  settings: Pick<SettingsStore, 'get'>;
  events: Pick<Events, 'emit' | 'on'>;
  logger: Logger;
  now(): number;
}): Housekeeping {
  const { cache, settings, events, logger, now } = options;
  const timers = new Set<NodeJS.Timeout>();
  let retiring: Promise<void> = Promise.resolve();
  let retiredAtMs = now();
  let { retentionDays, retentionBytes } = settings.get();

  const purgeUntil = async (untilMs: number): Promise<number> => {
    const { snapshotIds, freedBytes } = await cache.purgeRemoved(untilMs);
    if (snapshotIds.length > 0) {
      logger.info('snapshots purged', { snapshotIds, freedBytes });
      events.emit('snapshots/purged', { snapshotIds, freedBytes });
    }
    return freedBytes;
  };
  const logFailure = (error: unknown): void => logger.warn('housekeeping failed', { error });

  const remove = async (snapshotIds: readonly number[]): Promise<number> => {
    const removedAtMs = now();
    await cache.removeSnapshots({ snapshotIds, nowMs: removedAtMs });
    events.emit('snapshots/removed', { snapshotIds: [...snapshotIds] });
    const timer = setTimeout(() => {
      timers.delete(timer);
      purgeUntil(removedAtMs).catch(logFailure);
    }, UNDO_MS).unref();
    timers.add(timer);
    return removedAtMs + UNDO_MS;
  };

  const applyRetention = async (): Promise<void> => {
    const limits = settings.get();
    if (limits.retentionDays === 0 && limits.retentionBytes === 0) return;
    const [snapshots, storage] = await Promise.all([cache.listSnapshots(null), cache.readStorage()]);
    const usedBytes = storage.inboundDetailBytes + storage.outboundDetailBytes + storage.summaryBytes;
    const expired = pickExpired(snapshots, limits, now(), usedBytes);
    if (expired.length === 0) return;
    logger.info('retention removes', { snapshots: expired });
    await remove(expired.map(({ id }) => id));
    cache.noteRetired({ atMs: now(), snapshots: expired });
  };
  const retire = (): Promise<void> => {
    retiredAtMs = now();
    retiring = retiring.then(applyRetention).catch(logFailure);
    return retiring;
  };

  const stopListening = events.on('tasks/changed', ({ kind, endedAtMs }) => {
    if (kind === 'download' && endedAtMs !== null) void retire();
  });
  const stopWatching = events.on('settings/changed', (changed) => {
    const isSame = changed.retentionDays === retentionDays && changed.retentionBytes === retentionBytes;
    ({ retentionDays, retentionBytes } = changed);
    if (!isSame) void retire();
  });
  const looking = setInterval(() => {
    // Also where the clock was set back.
    if (Math.abs(now() - retiredAtMs) >= DAY_MS) void retire();
  }, LOOK_MS).unref();

  return {
    remove,
    purge: () => purgeUntil(now()),
    async begin() {
      await purgeUntil(now()).catch(logFailure);
      await retire();
    },
    stop() {
      stopListening();
      stopWatching();
      clearInterval(looking);
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

interface RetentionLimits {
  /** 0 for no limit. */
  readonly retentionDays: number;
  /** 0 for no limit. */
  readonly retentionBytes: number;
}

/**
 * Picks what retention removes: first everything fetched longer ago than the days, then the oldest while
 * the rest takes more than the bytes. Never a pinned or imported snapshot, nor one that is downloading or paused.
 * `usedBytes` is what the cache takes now; it is shared among the snapshots by the bytes received for each.
 */
export function pickExpired(
  snapshots: readonly Snapshot[],
  limits: RetentionLimits,
  nowMs: number,
  usedBytes: number,
): RetiredSnapshot[] {
  const receivedBytes = snapshots.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const share = receivedBytes === 0 ? 0 : usedBytes / receivedBytes;
  const oldestFirst = snapshots
    .filter(({ pinned, state }) => !pinned && state !== 'downloading' && state !== 'paused')
    // What was imported can't be fetched again.
    .filter(({ imported }) => imported === undefined)
    // A day that is being followed would be fetched again at once.
    .filter(({ stillOpen, settledToMs }) => !stillOpen || settledToMs === undefined)
    .sort((a, b) => a.fetchedOrder - b.fetchedOrder || a.id - b.id);
  const endMs = nowMs - limits.retentionDays * DAY_MS;
  let leftBytes = usedBytes;
  const expired: RetiredSnapshot[] = [];
  for (const snapshot of oldestFirst) {
    const isOld = limits.retentionDays > 0 && toFetchedAtMs(snapshot) < endMs;
    const isTooMuch = limits.retentionBytes > 0 && leftBytes > limits.retentionBytes;
    if (!isOld && !isTooMuch) continue;
    leftBytes -= snapshot.sizeBytes * share;
    expired.push(toRetired(snapshot, isOld ? 'age' : 'size'));
  }
  return expired;
}

function toRetired(snapshot: Snapshot, reason: RetiredSnapshot['reason']): RetiredSnapshot {
  const { id, connectionId, report, name, recordCount, period } = snapshot;
  const { startDate, endDate } = period;
  return { id, connectionId, report, name, startDate, endDate, recordCount, reason };
}

/**
 * Searches pages that were kept before what services send back was cleaned, for the secrets of their connection that the
 * keychain holds now, and the logs with them: once for each cache and connection. Where they can't be read, a later start does it. Never rejects.
 */
export async function cleanOldPages(parts: {
  readonly cache: Pick<Cache, 'listCleaned' | 'cleanPages' | 'getSnapshot'>;
  readonly connections: Pick<ConnectionStore, 'list' | 'readSecrets'>;
  readonly engine: Pick<Engine, 'restart'>;
  readonly emit: Emit;
  readonly logger: Logger;
  readonly logs: Pick<FileLogger, 'rewrite'>;
}): Promise<void> {
  const { cache, connections, engine, emit, logger, logs } = parts;
  try {
    const cleaned = new Set(await cache.listCleaned());
    let isChanged = false;
    for (const { id: connectionId } of await connections.list()) {
      if (cleaned.has(connectionId)) continue;
      try {
        const { accessToken, accessTokenSecret } = await connections.readSecrets(connectionId);
        const secrets = [accessToken, accessTokenSecret];
        const cleaner = createKnownSecrets().createCleaner();
        for (const secret of secrets) cleaner.note(secret);
        await logs.rewrite(cleaner.cleanText);
        const done = await cache.cleanPages({ connectionId, secrets });
        const { searchedPages, cleanedPages, snapshotIds } = done;
        logger.info('kept pages searched for secrets', { connectionId, searchedPages, cleanedPages });
        isChanged ||= done.isChanged;
        for (const id of snapshotIds) emit('snapshots/changed', await cache.getSnapshot(id));
      } catch (error) {
        const { code } = toErrorInfo(error);
        if (code === 'app.cancelled') return;
        logger.info('kept pages not searched for secrets', { connectionId, code });
      }
    }
    if (isChanged) await engine.restart();
  } catch (error) {
    logger.warn('kept pages not searched for secrets', { error });
  }
}
