import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Clock, Period } from '../../../src-main/common/model/period.ts';
import type { Connection } from '../../../src-main/common/model/connections/connection.ts';
import { getLocalZone } from '../../format/formats.ts';
import * as selections from '../../period/period-selection.ts';
import type { PeriodClock } from '../../period/period-selection.ts';
import { useAppStore } from './app.ts';
import { useConnectionsStore } from '../connections/connections.ts';

/** What of a connection its clock depends on. */
type ClockOwner = Pick<Connection, 'id' | 'serviceZone'>;

/** The clock that times are shown in: each connection has one, and a screen shows that of the active connection. */
export const useClockStore = defineStore('clock', () => {
  const app = useAppStore();
  const connections = useConnectionsStore();

  function readChoice(owner: Pick<ClockOwner, 'id'> | null): Clock {
    const settings = app.settings;
    const own = owner === null ? undefined : settings?.clocks[owner.id];
    return own ?? settings?.clock ?? 'service';
  }

  /** Returns the zone of a clock for a connection. */
  function toZone(clock: Clock, owner: ClockOwner | null): string {
    if (clock === 'local') return getLocalZone();
    return clock === 'utc' ? 'UTC' : (owner?.serviceZone ?? 'UTC');
  }

  function readZone(owner: ClockOwner | null): string {
    return toZone(readChoice(owner), owner);
  }

  /** Returns what periods of a connection are picked in. */
  function readPeriodClock(owner: ClockOwner | null): PeriodClock {
    return { choice: readChoice(owner), zone: readZone(owner), serviceZone: toZone('service', owner) };
  }

  const choice = computed(() => readChoice(connections.active));
  /** The zone that the screens show their times in. */
  const zone = computed(() => readZone(connections.active));

  /** Chooses the clock of the active connection. */
  async function choose(clock: Clock): Promise<void> {
    const { active, list } = connections;
    if (active === null) return;
    const known = Object.entries(app.settings?.clocks ?? {}).filter(([id]) =>
      list.some((connection) => connection.id === id),
    );
    await app.update({ clocks: { ...Object.fromEntries(known), [active.id]: clock } });
  }

  return { choice, zone, readChoice, toZone, readZone, readPeriodClock, choose } as const;
});

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
