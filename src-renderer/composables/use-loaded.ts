import { shallowRef, watch, type Ref, type WatchSource } from 'vue';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';

/** A value that is read anew whenever its sources change; of two readings under way the later one counts. */
export function useLoaded<Value>(
  sources: readonly WatchSource[],
  read: () => Promise<Value>,
): {
  readonly value: Readonly<Ref<Value | null>>;
  readonly error: Readonly<Ref<ErrorLike | null>>;
} {
  const value = shallowRef<Value | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  let latest = 0;

  async function load(): Promise<void> {
    latest += 1;
    const turn = latest;
    try {
      const answer = await read();
      if (turn !== latest) return;
      value.value = answer;
      error.value = null;
    } catch (thrown) {
      if (turn === latest) error.value = toErrorLike(thrown);
    }
  }

  watch([...sources], load, { immediate: true });
  return { value, error };
}
