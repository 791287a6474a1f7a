import { defineStore } from 'pinia';
import { computed } from 'vue';
import type { Clock } from '../../../src-main/common/model/clock.ts';
import type { Connection } from '../../../src-main/common/model/connections/connection.ts';
import { getLocalZone } from '../../format/dates.ts';
import type { PeriodClock } from '../../period/period-selection.ts';
import { useAppStore } from './app.ts';
import { useConnectionsStore } from '../connections/connections.ts';

/** What of a connection its clock depends on. */
export type ClockOwner = Pick<Connection, 'id' | 'serviceZone'>;

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
