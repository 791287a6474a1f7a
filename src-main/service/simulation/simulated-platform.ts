import { NO_SIMULATION, type Simulation } from '../../common/model/connections/simulation.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { listIncidents, type Incident } from '../sample/incidents.ts';

/** What is said of the platform at a moment. */
interface PlatformState {
  readonly simulation: Simulation;
  /** Since when in milliseconds: traffic from before says nothing of how things are now. */
  readonly changedMs: number;
}

/** What the tenant status goes by, besides the records. */
export interface ReportedPlatform {
  read(): PlatformState | Promise<PlatformState>;
}

/** What the sample platform pretends at the moment. Set by whoever runs the service, never over HTTP. */
export interface SimulatedPlatform {
  read(): PlatformState;
  set(simulation: Simulation): void;
}

/** Creates a platform that pretends what `simulation` says, nothing by default; `now` is in milliseconds. */
export function createSimulatedPlatform(now: () => number, simulation = NO_SIMULATION): SimulatedPlatform {
  let current = { simulation, changedMs: -Infinity };
  return {
    read: () => current,
    set: (next) => {
      const { platformDown, connectorDown } = current.simulation;
      const isOther = next.platformDown !== platformDown || next.connectorDown !== connectorDown;
      current = { simulation: next, changedMs: isOther ? now() : current.changedMs };
    },
  };
}

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
