import { shallowRef, watch, type Ref, type WatchSource } from 'vue';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';

/** A value that is read again whenever its sources change; the newest reading wins. */
export function useLoaded<Value>(
  sources: readonly WatchSource[],
  read: () => Promise<Value>,
): {
  readonly value: Readonly<Ref<Value | null>>;
  readonly error: Readonly<Ref<ErrorLike | null>>;
} {
  const value = shallowRef<Value | null>(null);
  const error = shallowRef<ErrorLike | null>(null);

  watch(
    [...sources],
    async (_now, _before, onCleanup) => {
      let isNewest = true;
      onCleanup(() => (isNewest = false));
      try {
        const loaded = await read();
        if (!isNewest) return;
        value.value = loaded;
        error.value = null;
      } catch (thrown) {
        if (isNewest) error.value = toErrorLike(thrown);
      }
    },
    { immediate: true },
  );
  return { value, error };
}
