import { NO_SIMULATION, type Simulation } from '../../common/model/connections/simulation.ts';

/** What is said of the platform at a moment. */
export interface PlatformState {
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
