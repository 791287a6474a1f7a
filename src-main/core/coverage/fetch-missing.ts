import { toErrorInfo, type ErrorInfo } from '../../common/contract/errors.ts';
import type { Handlers } from '../../common/contract/index.ts';
import type { Following } from '../../common/contract/operations/cache.ts';
import { BY_FOLLOWING } from '../../common/model/cache/download.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { MINUTE_MS, SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Events } from '../events.ts';
import { isActive, type TaskRegistry } from '../tasks/task-registry.ts';
import { type CoverageSpan, type CoverageSubject, isRead, layOut } from './read-holdings.ts';
import type { Ledger } from './create-ledger.ts';

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
