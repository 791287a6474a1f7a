import { computed, inject, type InjectionKey, type Ref } from 'vue';
import type { ConnectionPlans } from '../../src-main/common/model/connections/planned-time.ts';

type Plans = Readonly<Ref<ConnectionPlans | undefined>>;

/** Planned times and marks of what is shown; the window gives those of its connection. */
export const timePlansKey: InjectionKey<Plans> = Symbol('time plans');

export function useTimePlans(): Plans {
  return inject(timePlansKey, () => computed(() => undefined), true);
}
