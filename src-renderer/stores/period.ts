import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import type { Period } from '../../src-main/common/model/period.ts';
import { getLocalZone } from '../format/dates.ts';
import * as selections from '../period/period-selection.ts';
import { useAppStore } from './app.ts';

/** The period that the reports are looked at for; all screens share it. */
export const usePeriodStore = defineStore('period', () => {
  const app = useAppStore();
  const selection = ref<selections.PeriodSelection>({ kind: 'preset', preset: 'last-24-hours' });
  /** The zone that periods are picked in: the service's or this computer's. */
  const pickIn = computed(() => app.settings?.periodZone ?? 'service');

  /** The period to ask the service for, as of `nowMs`. */
  function toPeriod(nowMs: number, connection: { readonly serviceZone: string }): Period {
    const zone = connection.serviceZone;
    const pickZone = pickIn.value === 'service' ? zone : getLocalZone();
    return selections.toPeriod(selection.value, nowMs, zone, pickZone);
  }

  async function setPickIn(zone: 'service' | 'local'): Promise<void> {
    await app.update({ periodZone: zone });
  }

  return { selection, pickIn, toPeriod, setPickIn };
});
