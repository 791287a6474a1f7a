import { NO_SIMULATION, type Simulation } from '../../common/model/connections/simulation.ts';

/** What the sample platform pretends at the moment. Set by whoever runs the service, never over HTTP. */
export interface SimulatedPlatform {
  /** `changedMs` is since when: traffic from before says nothing of how things are now. */
  read(): { readonly simulation: Simulation; readonly changedMs: number };
  set(simulation: Simulation): void;
}

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
