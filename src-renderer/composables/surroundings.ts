import { useIntervalFn, useTimestamp } from '@vueuse/core';
import { computed, inject, provide, toRef, type InjectionKey, type Ref } from 'vue';
import type { ConnectionPlans } from '../../src-main/common/model/connections/planned.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';

// What is the same for all parts of a screen is given from above, not passed from part to part.

type Given<Value> = Readonly<Ref<Value>>;

/** The zone that times are shown in; the window gives that of the connection's clock. */
export const zoneKey: InjectionKey<Given<string>> = Symbol('zone');

export function useZone(): Given<string> {
  return inject(zoneKey, () => computed(() => 'UTC'), true);
}

/** Planned times and marks of what is shown; the window gives those of its connection. */
export const timePlansKey: InjectionKey<Given<ConnectionPlans | undefined>> = Symbol('time plans');

export function useTimePlans(): Given<ConnectionPlans | undefined> {
  return inject(timePlansKey, () => computed(() => undefined), true);
}

/** The present moment in epoch milliseconds, renewed every `intervalMs`, for ages and countdowns. */
export function useClock(intervalMs = 1000): Given<number> {
  return useTimestamp({ scheduler: (renew) => useIntervalFn(renew, intervalMs) });
}

/** The present moment of a screen: all its ages are as of the same one. */
export const nowKey: InjectionKey<Given<number>> = Symbol('now');

/** Gives the parts of a screen the present moment, renewed at the pace that suits it. */
export function useScreenClock(intervalMs?: number): Given<number> {
  const nowMs = useClock(intervalMs);
  provide(nowKey, nowMs);
  return nowMs;
}

export function useNow(): Given<number> {
  return inject(nowKey, () => useClock(), true);
}

/** The direction that a screen, or an inspector beside it, shows the records of. */
export const directionKey: InjectionKey<Given<Direction>> = Symbol('direction');

export function provideDirection(read: () => Direction): void {
  provide(directionKey, toRef(read));
}

export function useDirection(): Given<Direction> {
  const direction = inject(directionKey, null);
  if (direction === null) throw new Error('Nothing around this component gives a direction.');
  return direction;
}
