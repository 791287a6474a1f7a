import { AppError } from '../../../common/contract/errors.ts';
import type { RecordFilter } from '../../../common/model/records/record-filter.ts';
import { listLeaves } from '../../../common/query/filter-tree.ts';
import type { CallOptions } from '../../calls/calls.ts';

/** A question with a pattern that takes longer is stopped. */
export const PATTERN_LIMIT_MS = 60_000;
/** An interrupt is heard between two rows of a few thousand records; who doesn't hear it in time is ended. */
const DEAF_MS = 3_000;
/** How often a question that may be waiting for records is given more time. */
const MAX_EXTENSIONS = 10;
/** Questions that were stopped and aren't begun again. */
const MAX_STOPPED = 50;
/** Written bit by bit, with a progress of their own, until the person cancels them. */
const WITHOUT_LIMIT: ReadonlySet<string> = new Set([
  'writeRecords',
  'writeResult',
  'writeRows',
  'writeLines',
]);

type Call = (name: string, input: unknown, options?: CallOptions) => Promise<unknown>;

/**
 * Ends questions whose wildcards or regular expressions take too long with `analysis.too-slow`, and doesn't begin them
 * again: a view, its charts and its counts would each take as long. A process that goes on nevertheless is replaced.
 */
export function limitPatterns({
  call,
  abandon,
  start,
  isFeeding,
  limitMs,
}: {
  readonly call: Call;
  /** Ends the process and whatever it is doing. */
  abandon(): Promise<void>;
  /** Resolves once there is a process that answers. Its start isn't the pattern's time, */
  start(): Promise<void>;
  /** nor is waiting for records that are still being fed. */
  isFeeding(): boolean;
  readonly limitMs: number;
}): Call {
  const stopped = new Set<string>();

  /** Resolves with what the work does, unless it takes too long. */
  async function limit<Value>(key: string, work: Promise<Value>, stop: () => void): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    let extensions = 0;
    const late = new Promise<never>((_, reject) => {
      const check = (): void => {
        if (isFeeding() && extensions < MAX_EXTENSIONS) {
          extensions += 1;
          arm();
          return;
        }
        stopped.add(key);
        for (const oldest of [...stopped].slice(0, -MAX_STOPPED)) stopped.delete(oldest);
        stop();
        const deaf = setTimeout(() => void abandon(), DEAF_MS);
        const calm = (): void => clearTimeout(deaf);
        void work.then(calm, calm);
        reject(toTooSlow());
      };
      const arm = (): void => {
        timer = setTimeout(check, limitMs);
        timer.unref();
      };
      arm();
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  return async (name, input, options) => {
    const key = WITHOUT_LIMIT.has(name) ? null : findPatterns(input);
    if (key === null) return call(name, input, options);
    if (stopped.has(key)) throw toTooSlow();
    await start();
    const controller = new AbortController();
    const signals = options?.signal === undefined ? [controller.signal] : [controller.signal, options.signal];
    const own = { ...options, signal: AbortSignal.any(signals) };
    const value = await limit(key, call(name, input, own), () => controller.abort());
    if (name === 'openView') {
      const { viewId } = value as { viewId: string };
      // Its rows go on being found after it is opened.
      const close = (): void => void call('closeView', viewId).catch(() => undefined);
      void limit(key, call('countView', viewId), close).catch(() => undefined);
    }
    return value;
  };
}

function toTooSlow(): AppError {
  return new AppError('analysis.too-slow', 'The pattern takes too long.');
}

/** What a question with patterns is known by: its records and its filters. Null for one without patterns. */
function findPatterns(input: unknown): string | null {
  const { scope, filter, selection, before, after } = (input ?? {}) as Partial<
    Record<'scope' | 'filter' | 'selection' | 'before' | 'after', unknown>
  >;
  const sides = [before, after].map((side) => (side as { filter?: unknown } | undefined)?.filter);
  const filters = [filter, selection, ...sides].filter(isFilter);
  const hasPattern = filters
    .flatMap(listLeaves)
    .some(({ wildcard, regex }) => (wildcard ?? regex) !== undefined);
  return hasPattern ? JSON.stringify([scope, before, after, filters]) : null;
}

function isFilter(value: unknown): value is RecordFilter {
  return typeof value === 'object' && value !== null && 'conditions' in value;
}
