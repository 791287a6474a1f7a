import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { Period } from '../../../src-main/common/model/period.ts';
import * as selections from '../../period/period-selection.ts';
import { useClockStore, type ClockOwner } from './clock.ts';

/** The period that the reports are looked at for; all screens share it. */
export const usePeriodStore = defineStore('period', () => {
  const clock = useClockStore();
  const selection = shallowRef<selections.PeriodSelection>({ kind: 'preset', preset: 'last-24-hours' });

  /** Returns the period to request from the service, as of `nowMs`; its days are those of the connection's clock. */
  function toPeriod(nowMs: number, connection: ClockOwner): Period {
    return selections.toPeriod(selection.value, nowMs, connection.serviceZone, clock.readZone(connection));
  }

  function select(next: selections.PeriodSelection): void {
    selection.value = next;
  }

  /** Selects the period that something cached covers. */
  function selectSpan({ fromMs, toMs }: selections.PeriodEnds): void {
    select({ kind: 'custom', fromMs, toMs });
  }

  return { selection, toPeriod, select, selectSpan } as const;
});
