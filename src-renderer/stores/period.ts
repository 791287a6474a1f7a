import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Period } from '../../src-main/common/model/period.ts';
import { getLocalZone } from '../format/dates.ts';
import * as selections from '../period/period-selection.ts';
import { useAppStore } from './app.ts';

/** The period that the reports are looked at for; all screens share it. */
export const usePeriodStore = defineStore('period', () => {
  const app = useAppStore();
  const selection = shallowRef<selections.PeriodSelection>({ kind: 'preset', preset: 'last-24-hours' });
  /** The zone that periods are picked in: the service's or this computer's. */
  const pickIn = computed(() => app.settings?.periodZone ?? 'service');

  /** Returns the period to request from the service, as of `nowMs`. */
  function toPeriod(nowMs: number, connection: { readonly serviceZone: string }): Period {
    const zone = connection.serviceZone;
    const pickZone = pickIn.value === 'service' ? zone : getLocalZone();
    return selections.toPeriod(selection.value, nowMs, zone, pickZone);
  }

  function select(next: selections.PeriodSelection): void {
    selection.value = next;
  }

  /** Selects the instants that something cached covers. */
  function selectSpan({ fromMs, toMs }: selections.Instants): void {
    select({ kind: 'custom', fromMs, toMs });
  }

  async function setPickIn(zone: 'service' | 'local'): Promise<void> {
    await app.update({ periodZone: zone });
  }

  return { selection, pickIn, toPeriod, select, selectSpan, setPickIn } as const;
});
