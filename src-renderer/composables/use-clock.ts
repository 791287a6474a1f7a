import { useIntervalFn, useTimestamp } from '@vueuse/core';
import type { Ref } from 'vue';

/** The present moment in epoch milliseconds, renewed every `intervalMs`, for ages and countdowns. */
export function useClock(intervalMs = 1000): Readonly<Ref<number>> {
  return useTimestamp({ scheduler: (renew) => useIntervalFn(renew, intervalMs) });
}
