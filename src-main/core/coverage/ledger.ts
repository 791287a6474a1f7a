import { type ErrorInfo, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, Handlers, HandlersOf, Output } from '../../common/contract/index.ts';
import type { Following } from '../../common/contract/operations/cache.ts';
import { BY_FOLLOWING } from '../../common/model/cache/download.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import type { Period } from '../../common/model/period.ts';
import { type DetailKind, type Direction, isDetailKind } from '../../common/reporting/reports.ts';
import { MINUTE_MS, SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import { type ConnectionStore, findLookBackMs } from '../connections/create-connections.ts';
import { toPeriod, toWholeSeconds } from '../downloads/slice-period.ts';
import type { Events } from '../host.ts';
import { createThrottle, isActive, type TaskRegistry, type Throttle } from '../tasks/task-registry.ts';
import {
  type CoverageFact,
  type CoverageSpan,
  type CoverageSubject,
  type Holding,
  type HoldingSource,
  isRead,
  join,
  layOut,
  listRead,
  readHolding,
  readHoldings,
  readOneHolding,
  toBuckets,
  toPlain,
} from './read-holdings.ts';

/** What is known of a span. */
interface Coverage {
  /** Side by side; they fill the span. */
  readonly spans: readonly CoverageSpan[];
  /** Records in it, or in snapshots that reach into it, that are stored but not yet in the engine. */
  readonly unreadyRecords: number;
}

/** What is cached of each direction of a connection. */
export type Covered = Readonly<
  Record<
    Direction,
    {
      /** What was read to its end of a span, with neighbours joined. */
      readonly read: readonly TimeSpan[];
      /** As `readExtent` tells it. */
      readonly extent: TimeSpan | null;
    }
  >
>;

/** The one answer to the question which moments of a report are cached, how surely, and what is being fetched. */
export interface Ledger {
  /** Reads what is known of each moment of [fromMs, toMs). */
  read(subject: CoverageSubject, span: TimeSpan): Promise<Coverage>;
  /** Reads what some downloads of a connection hold of [fromMs, toMs), and nothing about what is being fetched. */
  readHeld(
    connectionId: string,
    downloads: readonly DownloadRow[],
    span: TimeSpan,
  ): Promise<readonly CoverageSpan[]>;
  /** Reads what is known of the period of one snapshot, as though nothing else were cached. Throws `cache.snapshot-not-found`. */
  readSnapshot(snapshotId: number): Promise<Coverage>;
  /** Reads what each of some connections has of both directions, in one reading. */
  readCovered(connectionIds: readonly string[], span: TimeSpan): Promise<ReadonlyMap<string, Covered>>;
  /** From the first to the last moment that something is cached of; null for nothing. */
  readExtent(subject: CoverageSubject): Promise<TimeSpan | null>;
  /** Periods of [fromMs, toMs) that are neither settled nor being fetched, up to now, in order. */
  findGaps(subject: CoverageSubject & { readonly report: DetailKind }, span: TimeSpan): Promise<Period[]>;
}

export interface LedgerParts {
  readonly cache: HoldingSource;
  readonly engine: Pick<Engine, 'countFed' | 'watchFed'>;
  readonly connections: Pick<ConnectionStore, 'get'>;
  /** The task that works on a snapshot, or waits for its turn; null for none. */
  findTask(snapshotId: number): string | null;
  /** What following a connection has still to fetch of a report; null where it isn't followed or can't go on. */
  findFollowed(connectionId: string, report: DetailKind): Promise<TimeSpan | null>;
  readonly events: Pick<Events, 'on'>;
  readonly emit: Emit;
  now(): number;
}

const CHANGED_EVERY_MS = 100;

/** Records of a snapshot that are stored but not yet in the engine, which knows nothing about reported summaries. */
function countUnready(
  engine: Pick<Engine, 'countFed'>,
  { id, report, recordCount, reading }: Snapshot,
): number {
  return isDetailKind(report) ? Math.max(0, recordCount - engine.countFed(id, reading)) : 0;
}

/** Builds the ledger. It emits `coverage/changed`, at most ten times a second for a connection and report. */
export function createLedger(parts: LedgerParts): Ledger {
  const { cache, engine, connections, now } = parts;
  const noteSubject = announceChanges(parts);
  const readOf = async ({ connectionId, report }: CoverageSubject): Promise<Holding[]> => {
    const subject = { connectionId, report };
    const holdings = await readHoldings(cache, subject, findLookBackMs(connections, connectionId));
    for (const { snapshot } of holdings) noteSubject(snapshot);
    return holdings;
  };

  const toFacts = (holding: Holding): CoverageFact[] => {
    const { snapshot, facts, unread } = holding;
    const fetching = parts.findTask(snapshot.id);
    const ready = countUnready(engine, snapshot) === 0;
    return [
      ...facts.map((fact) => ({ ...fact, ready })),
      ...(fetching === null ? [] : unread.map((span) => ({ ...span, fetching }))),
    ];
  };
  const toCoverage = (
    holdings: readonly Holding[],
    more: readonly CoverageFact[],
    span: TimeSpan,
  ): Coverage => ({
    spans: layOut([...holdings.flatMap(toFacts), ...more], span),
    unreadyRecords: holdings
      .filter(({ facts }) => facts.some(({ fromMs, toMs }) => fromMs < span.toMs && toMs > span.fromMs))
      .reduce((sum, { snapshot }) => sum + countUnready(engine, snapshot), 0),
  });
  const findFollowed = async ({ connectionId, report }: CoverageSubject): Promise<CoverageFact[]> => {
    if (!isDetailKind(report)) return [];
    const span = await parts.findFollowed(connectionId, report);
    return span === null ? [] : [{ ...span, fetching: BY_FOLLOWING }];
  };
  const read: Ledger['read'] = async (subject, span) =>
    toCoverage(await readOf(subject), await findFollowed(subject), span);

  return {
    read,
    async readHeld(connectionId, rows, span) {
      const lookBackMs = findLookBackMs(connections, connectionId);
      const holdings = await Promise.all(rows.map((row) => readHolding(cache, row, lookBackMs)));
      return layOut(
        holdings.flatMap(({ facts }) => facts),
        span,
      );
    },
    async readSnapshot(snapshotId) {
      const snapshot = await cache.getSnapshot(snapshotId);
      const holding = await readOneHolding(
        cache,
        snapshot,
        findLookBackMs(connections, snapshot.connectionId),
      );
      return toCoverage([holding], [], toWhole(holding));
    },
    async readCovered(connectionIds, span) {
      const rows = Map.groupBy(
        await cache.listDownloads(connectionIds),
        ({ snapshot }) => snapshot.connectionId,
      );
      const known = connectionIds.map(async (connectionId): Promise<[string, Covered]> => {
        const lookBackMs = findLookBackMs(connections, connectionId);
        const holdings = await Promise.all(
          (rows.get(connectionId) ?? []).map((row) => readHolding(cache, row, lookBackMs)),
        );
        const toCovered = (direction: Direction): Covered[Direction] => {
          const own = holdings.filter(({ snapshot }) => snapshot.report === `${direction}-detail`);
          const facts = own.flatMap((holding) => holding.facts);
          return { read: listRead(layOut(facts, span)), extent: toExtent(own) };
        };
        for (const { snapshot } of holdings) noteSubject(snapshot);
        return [connectionId, { inbound: toCovered('inbound'), outbound: toCovered('outbound') }];
      });
      return new Map(await Promise.all(known));
    },
    readExtent: async (subject) => toExtent(await readOf(subject)),
    async findGaps(subject, { fromMs, toMs }) {
      const { serviceZone } = connections.get(subject.connectionId);
      const lastMs = toSecond(Math.min(toMs - SECOND_MS, now()));
      const { spans } = await read(subject, { fromMs: toSecond(fromMs), toMs: lastMs + SECOND_MS });
      const gaps = toPlain(spans.filter(({ state, fetching }) => state !== 'settled' && fetching === null));
      return gaps.map((gap) => toPeriod(toWholeSeconds(gap), serviceZone));
    },
  };
}

function toExtent(holdings: readonly Holding[]): TimeSpan | null {
  const held = holdings.flatMap(({ facts }) => facts.filter(({ state }) => state !== 'failed'));
  if (held.length === 0) return null;
  return {
    fromMs: held.reduce((least, { fromMs }) => Math.min(least, fromMs), Infinity),
    toMs: held.reduce((most, { toMs }) => Math.max(most, toMs), -Infinity),
  };
}

function toSecond(atMs: number): number {
  return Math.floor(atMs / SECOND_MS) * SECOND_MS;
}

function toWhole({ snapshot: { period } }: Holding): TimeSpan {
  return { fromMs: period.fromMs, toMs: period.toMs + SECOND_MS };
}

/**
 * Emits when what is known of a report has changed: with a page, the end of a download, a removal, or the engine's feed.
 * Returns what has to be called with each snapshot that was read.
 */
function announceChanges({ engine, events, emit }: LedgerParts): (snapshot: Snapshot) => void {
  const throttles = new Map<string, Throttle>();
  /** The report of each snapshot, since a removal names snapshots only. */
  const subjects = new Map<number, CoverageSubject>();
  /** Snapshots whose newest records the engine did not have when they were stored. */
  const unready = new Map<number, Snapshot>();

  const announce = (subject: CoverageSubject): void => {
    const key = `${subject.report} ${subject.connectionId}`;
    const known = throttles.get(key);
    const throttle = known ?? createThrottle(CHANGED_EVERY_MS, () => emit('coverage/changed', subject));
    if (known === undefined) throttles.set(key, throttle);
    throttle.request();
  };
  const noteSnapshot = (snapshot: Snapshot): void => {
    const { id, connectionId, report } = snapshot;
    subjects.set(id, { connectionId, report });
    if (countUnready(engine, snapshot) > 0) unready.set(id, snapshot);
  };
  const noteGone = ({ snapshotIds }: { readonly snapshotIds: readonly number[] }): void => {
    for (const id of snapshotIds) {
      const subject = subjects.get(id);
      unready.delete(id);
      if (subject !== undefined) announce(subject);
    }
  };
  events.on('snapshots/changed', (snapshot) => {
    noteSnapshot(snapshot);
    announce({ connectionId: snapshot.connectionId, report: snapshot.report });
  });
  events.on('downloads/changed', ({ connectionId, report }) => announce({ connectionId, report }));
  events.on('snapshots/removed', noteGone);
  events.on('snapshots/purged', noteGone);
  events.on('following/changed', ({ connectionId }) => {
    announce({ connectionId, report: 'inbound-detail' });
    announce({ connectionId, report: 'outbound-detail' });
  });
  engine.watchFed(() => {
    for (const [id, snapshot] of unready) {
      if (countUnready(engine, snapshot) > 0) continue;
      unready.delete(id);
      announce({ connectionId: snapshot.connectionId, report: snapshot.report });
    }
  });
  return noteSnapshot;
}

type Gap = Output<'coverage/read'>['gaps'][number];

/** The handlers of `coverage/…`. */
export function createCoverageHandlers({ ledger }: { readonly ledger: Ledger }): HandlersOf<'coverage'> {
  const toGaps = (spans: readonly CoverageSpan[]): Gap[] => {
    const gaps = spans.flatMap(({ fromMs, toMs, state, fetching }): Gap[] =>
      state === 'settled' ? [] : [{ fromMs, toMs, state, fetching }],
    );
    return join(gaps, (a, b) => a.state === b.state && a.fetching === b.fetching);
  };
  return {
    'coverage/read-snapshot': async ({ snapshotId }) => toGaps((await ledger.readSnapshot(snapshotId)).spans),
    'coverage/read': async ({ connectionId, report, fromMs, toMs, buckets }) => {
      const { spans, unreadyRecords } = await ledger.read({ connectionId, report }, { fromMs, toMs });
      return { buckets: toBuckets(spans, buckets), gaps: toGaps(spans), unreadyRecords };
    },
  };
}

/** How long a service that can't be reached is waited for, such as after sleep. */
const PATIENCE_MS = 30 * MINUTE_MS;

type DetailSubject = CoverageSubject & { readonly report: DetailKind };

/** Waits until what is missing is there. */
export interface MissingFetcher {
  /**
   * Resolves once the span, as far as it is past, was read to its end and is in the engine, whoever fetches it: what nobody
   * fetches is downloaded, and what somebody fetches already is waited for. Resolves to why something is missing still,
   * null for nothing; rejects with the signal's reason.
   */
  fetchMissing(subject: DetailSubject, span: TimeSpan, signal: AbortSignal): Promise<ErrorInfo | null>;
  /** Gives up what has waited for its service for too long; called now and then. */
  look(): void;
}

interface FetcherParts {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly engine: Pick<Engine, 'catchUp'>;
  readonly tasks: Pick<TaskRegistry, 'get' | 'list' | 'pause' | 'cancel'>;
  readonly events: Pick<Events, 'on'>;
  readonly fetchGaps: Handlers['downloads/fetch-gaps'];
  findFollowing(connectionId: string): Pick<Following, 'failure' | 'failingSinceMs'> | undefined;
  now(): number;
}

/** Builds what fetches for schedules, by the downloads that a person starts too. */
export function createMissingFetcher(parts: FetcherParts): MissingFetcher {
  const { ledger, engine, tasks, events, fetchGaps, now } = parts;
  const listeners = new Set<() => void>();
  const wake = (): void => {
    for (const listener of listeners) listener();
  };
  events.on('coverage/changed', wake);
  events.on('tasks/changed', ({ endedAtMs, retryAtMs }) => {
    if (endedAtMs !== null || retryAtMs !== null) wake();
  });
  events.on('following/changed', wake);

  /** Resolves once something has changed since it was called. */
  const watch = (signal: AbortSignal): { readonly changed: Promise<null>; stop(): void } => {
    const { promise: changed, resolve } = Promise.withResolvers<null>();
    const listener = (): void => resolve(null);
    listeners.add(listener);
    signal.addEventListener('abort', listener);
    const stop = (): void => {
      listeners.delete(listener);
      signal.removeEventListener('abort', listener);
    };
    return { changed, stop };
  };

  /** Why a fetch does not get on, and since when; null while it does. */
  const findTrouble = (fetching: string, connectionId: string): ErrorInfo | null => {
    if (fetching === BY_FOLLOWING) return parts.findFollowing(connectionId)?.failure ?? null;
    return tasks.list().find(({ id }) => id === fetching)?.error ?? null;
  };

  return {
    async fetchMissing(subject, { fromMs, toMs }, signal) {
      const span = { fromMs, toMs: Math.min(toMs, now()) };
      const run = { subject, signal, ownIds: new Set<string>(), waiting: new Map<string, number>() };
      const tried: TimeSpan[] = [];
      const joined = new Set<string>();
      const begin = async (part: TimeSpan): Promise<void> => {
        // The operation includes its last second.
        const input = { ...subject, fromMs: part.fromMs, toMs: Math.max(part.fromMs, part.toMs - SECOND_MS) };
        for (const { taskId } of await fetchGaps(input)) run.ownIds.add(taskId);
      };
      const isGivenUp = (fetching: string): boolean => {
        const sinceMs = findWaitingSince(parts, fetching, run);
        return sinceMs !== null && now() - sinceMs >= PATIENCE_MS;
      };
      const cancel = (): void => {
        for (const taskId of run.ownIds) tasks.cancel(taskId);
      };
      signal.addEventListener('abort', cancel);
      let error: ErrorInfo | null;
      try {
        for (let round = 0; ; round += 1) {
          const { changed, stop } = watch(signal);
          try {
            signal.throwIfAborted();
            const { spans } = await ledger.read(subject, span);
            const lacking = spans.filter((each) => !isRead(each));
            // At first what is open is looked at again too: late records may have come since.
            const wanted = round === 0 ? spans.filter(({ state }) => state !== 'settled') : lacking;
            const forgotten = withoutTried(wanted, tried);
            tried.push(...forgotten);
            if (round === 0 && forgotten.length > 0) await begin(span);
            else for (const part of forgotten) await begin(part);
            const fetches = new Set(lacking.flatMap(({ fetching }) => fetching ?? []));
            for (const fetching of fetches) joined.add(fetching);
            const own = tasks.list().filter((task) => run.ownIds.has(task.id) && isActive(task));
            for (const { id } of own) if (isGivenUp(id)) tasks.pause(id);
            const isComing =
              own.length > 0 || forgotten.length > 0 || [...fetches].some((id) => !isGivenUp(id));
            if (!isComing) {
              const ids = lacking.length === 0 ? [...run.ownIds] : [...run.ownIds, ...joined];
              error =
                ids.map((id) => findTrouble(id, subject.connectionId)).find((each) => each !== null) ?? null;
              break;
            }
            await changed;
          } finally {
            stop();
          }
        }
        await engine.catchUp();
        return error;
      } catch (thrown) {
        signal.throwIfAborted();
        return toErrorInfo(thrown);
      } finally {
        signal.removeEventListener('abort', cancel);
        if (signal.aborted) cancel();
      }
    },
    look: wake,
  };
}

/** Since when a fetch waits for its service; null while it does not. */
function findWaitingSince(
  { tasks, findFollowing, now }: FetcherParts,
  fetching: string,
  { subject, waiting }: { readonly subject: CoverageSubject; readonly waiting: Map<string, number> },
): number | null {
  if (fetching === BY_FOLLOWING) return findFollowing(subject.connectionId)?.failingSinceMs ?? null;
  const task = tasks.list().find(({ id }) => id === fetching);
  if (task === undefined || task.retryAtMs === null) {
    waiting.delete(fetching);
    return null;
  }
  const sinceMs = waiting.get(fetching) ?? now();
  waiting.set(fetching, sinceMs);
  return sinceMs;
}

/** What nobody fetches, and nobody tried to: a fetch that was waited for may have ended early. */
function withoutTried(lacking: readonly CoverageSpan[], tried: readonly TimeSpan[]): TimeSpan[] {
  return lacking
    .filter(({ fetching }) => fetching === null)
    .flatMap((span) =>
      layOut(
        tried.map((part) => ({ ...part, state: 'settled' as const })),
        span,
      ),
    )
    .filter(({ state }) => state === 'missing')
    .map(({ fromMs, toMs }) => ({ fromMs, toMs }));
}
