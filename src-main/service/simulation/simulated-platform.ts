import { NO_SIMULATION, type Simulation } from '../../common/model/simulation.ts';

/** What the sample platform pretends at the moment. Set by whoever runs the service, never over HTTP. */
export class SimulatedPlatform {
  readonly #now: () => number;
  #simulation: Simulation;
  #changedMs: number;

  constructor(now: () => number, simulation: Simulation = NO_SIMULATION) {
    this.#now = now;
    this.#simulation = simulation;
    this.#changedMs = -Infinity;
  }

  get simulation(): Simulation {
    return this.#simulation;
  }

  /** Since when it pretends this: traffic from before says nothing of how things are now. */
  get changedMs(): number {
    return this.#changedMs;
  }

  set(simulation: Simulation): void {
    const { platformDown, connectorDown } = this.#simulation;
    if (simulation.platformDown !== platformDown || simulation.connectorDown !== connectorDown) {
      this.#changedMs = this.#now();
    }
    this.#simulation = simulation;
  }
}
