import { shallowRef, watch, type Ref, type WatchSource } from 'vue';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';

/** A value that is read again whenever its sources change; the reading before is aborted then. */
export function useLoaded<Value>(
  sources: readonly WatchSource[],
  read: (signal: AbortSignal) => Promise<Value>,
): {
  readonly value: Readonly<Ref<Value | null>>;
  readonly error: Readonly<Ref<ErrorLike | null>>;
} {
  const value = shallowRef<Value | null>(null);
  const error = shallowRef<ErrorLike | null>(null);

  watch(
    [...sources],
    async (_now, _before, onCleanup) => {
      const controller = new AbortController();
      const { signal } = controller;
      onCleanup(() => controller.abort());
      try {
        const loaded = await read(signal);
        if (signal.aborted) return;
        value.value = loaded;
        error.value = null;
      } catch (thrown) {
        if (!signal.aborted) error.value = toErrorLike(thrown);
      }
    },
    { immediate: true },
  );
  return { value, error };
}
