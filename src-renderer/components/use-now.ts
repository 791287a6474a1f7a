import { onScopeDispose, readonly, ref, type Ref } from 'vue';

/** The present moment, renewed every `everyMs`, for ages and countdowns. */
export function useNow(everyMs = 1000, readClock: () => number = Date.now): Readonly<Ref<number>> {
  const now = ref(readClock());
  const timer = setInterval(() => (now.value = readClock()), everyMs);
  onScopeDispose(() => clearInterval(timer));
  return readonly(now);
}
