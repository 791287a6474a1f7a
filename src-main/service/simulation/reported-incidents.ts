import { listIncidents, type Incident } from '../sample/incidents.ts';
import type { SimulatedPlatform } from './simulated-platform.ts';
import { DAY_MS } from '../../common/time/durations.ts';

/**
 * What the status operation goes by: what is simulated, and what the sample's incidents say of it while there
 * is new traffic that meets them. `historyEndMs` null means a store without a sample history.
 */
export function reportIncidents(
  platform: Pick<SimulatedPlatform, 'read'>,
  historyEndMs: number | null,
  isLive: () => boolean,
  now: () => number,
): Pick<SimulatedPlatform, 'read'> {
  if (historyEndMs === null) return platform;
  return {
    read: () => {
      const set = platform.read();
      if (!isLive()) return set;
      const nowMs = now();
      const reported = listIncidents(historyEndMs, nowMs - DAY_MS, nowMs + 1).filter(
        (each) => each.reported !== undefined && each.fromMs >= historyEndMs,
      );
      const isReported = (state: Incident['reported']): boolean =>
        reported.some((each) => each.reported === state && nowMs < each.toMs);
      // Traffic from before an incident's end says nothing of how things are after it.
      const changedMs = Math.max(
        set.changedMs,
        ...reported.flatMap(({ fromMs, toMs }) => [fromMs, toMs]).filter((atMs) => atMs <= nowMs),
      );
      const simulation = {
        ...set.simulation,
        platformDown: set.simulation.platformDown || isReported('platform-down'),
        connectorDown: set.simulation.connectorDown || isReported('connector-down'),
      };
      return { simulation, changedMs };
    },
  };
}
