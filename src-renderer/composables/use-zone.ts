import { computed, inject, type InjectionKey, type Ref } from 'vue';

type Zone = Readonly<Ref<string>>;

/** The zone that times are shown in; the window gives that of the connection's clock. */
export const zoneKey: InjectionKey<Zone> = Symbol('zone');

export function useZone(): Zone {
  return inject(zoneKey, () => computed(() => 'UTC'), true);
}
