import { onScopeDispose, ref, type Ref, shallowRef, type ShallowRef, watch, type WatchSource } from 'vue';
import type { EventName } from '../../src-main/common/contract/index.ts';
import { useBackend } from '../backend/backend.ts';
import { type ErrorLike, toErrorLike } from '../messages/error-like.ts';

export interface Attempt {
  readonly isRunning: Readonly<Ref<boolean>>;
  /** Why the last work failed; null while it runs and once it succeeded. */
  readonly error: Readonly<Ref<ErrorLike | null>>;
  /** Runs the work; resolves to true when it succeeded. */
  attempt(work: () => unknown): Promise<boolean>;
  clearError(): void;
}

/** Runs work that may fail, and keeps its progress and its error for a control to show. */
export function useAttempt(): Attempt {
  const isRunning = ref(false);
  const error = shallowRef<ErrorLike | null>(null);

  async function attempt(work: () => unknown): Promise<boolean> {
    isRunning.value = true;
    error.value = null;
    try {
      await work();
      return true;
    } catch (thrown) {
      error.value = toErrorLike(thrown);
      return false;
    } finally {
      isRunning.value = false;
    }
  }

  function clearError(): void {
    error.value = null;
  }

  return { isRunning, error, attempt, clearError };
}

/** After an event it is read again; of those that come as fast as records do, not each one. */
const MIN_GAP_MS = 1_000;

interface QueryOptions {
  /** What it is read again for: until then the value before is shown. */
  readonly again?: readonly WatchSource[];
  /** Events of the core that it is read again after. */
  readonly events?: readonly EventName[];
}

export interface Query<Value> {
  /** Null until it is known of what is asked for now. */
  readonly value: Readonly<Ref<Value | null>>;
  readonly error: Readonly<Ref<ErrorLike | null>>;
  /** It is on its way; a value that is shown meanwhile is the one before. */
  readonly isReading: Readonly<Ref<boolean>>;
  /** Reads it again, such as for *Try again*. */
  reload(): void;
}

/** What was asked for last: an answer or a failure that another asking has overtaken is dropped. */
interface Reading<Value> {
  /** Null until it was read; the value before stays meanwhile, and after a failure. */
  readonly value: ShallowRef<Value | null>;
  readonly error: ShallowRef<ErrorLike | null>;
  /** It is on its way. */
  readonly isReading: Ref<boolean>;
  /** Resolves to true once it was read; to false where that failed, or was overtaken. The signal says so meanwhile. */
  ask(read: (signal: AbortSignal) => Promise<Value | null>): Promise<boolean>;
  /** Lets what is on its way go. */
  drop(): void;
  /** Lets it go, and forgets what was read. */
  clear(): void;
}

/** Something that is read when it is asked for, such as by a store. */
export function createReading<Value>(): Reading<Value> {
  const value = shallowRef<Value | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  const isReading = ref(false);
  let asking = new AbortController();

  function drop(): void {
    asking.abort();
    isReading.value = false;
  }

  async function ask(read: (signal: AbortSignal) => Promise<Value | null>): Promise<boolean> {
    drop();
    asking = new AbortController();
    const { signal } = asking;
    isReading.value = true;
    try {
      const found = await read(signal);
      if (signal.aborted) return false;
      value.value = found;
      error.value = null;
      return true;
    } catch (thrown) {
      if (!signal.aborted) error.value = toErrorLike(thrown);
      return false;
    } finally {
      if (!signal.aborted) isReading.value = false;
    }
  }

  function clear(): void {
    drop();
    value.value = null;
    error.value = null;
  }

  return { value, error, isReading, ask, drop, clear };
}

/**
 * Something that is read from the core. The value belongs to its key: with another one it is gone until that is known, and
 * an answer that was overtaken, whose reading is aborted, is dropped. A failure leaves the value that was read before.
 */
export function useQuery<Value>(
  key: WatchSource,
  read: (signal: AbortSignal) => Promise<Value>,
  { again = [], events = [] }: QueryOptions = {},
): Query<Value> {
  const { value, error, isReading, ask, drop, clear } = createReading<Value>();
  const count = ref(0);

  watch(
    [key, count, ...again],
    ([now], [before], onCleanup) => {
      if (now !== before) clear();
      onCleanup(drop);
      void ask(read);
    },
    { immediate: true },
  );

  function reload(): void {
    count.value += 1;
  }

  if (events.length > 0) {
    const backend = useBackend();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastMs = -MIN_GAP_MS;
    const reloadSoon = (): void => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          lastMs = performance.now();
          reload();
        },
        Math.max(0, lastMs + MIN_GAP_MS - performance.now()),
      );
    };
    const stops = events.map((name) => backend.on(name, reloadSoon));
    onScopeDispose(() => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    });
  }
  return { value, error, isReading, reload };
}
