import type { TrafficCells } from '../../../src-main/core/analysis/findings/traffic-cells.ts';

/** How many requests of a channel and service had an outcome in a slot of time, hours or minutes since the epoch. */
export interface TrafficCell {
  readonly channel: number;
  readonly service: number;
  readonly slot: number;
  readonly outcome: number;
  readonly count: number;
}

/** Cells in the columns that they are read in. */
export function toTrafficCells(cells: readonly TrafficCell[]): TrafficCells {
  return {
    channels: Float64Array.from(cells, ({ channel }) => channel),
    services: Float64Array.from(cells, ({ service }) => service),
    slots: Float64Array.from(cells, ({ slot }) => slot),
    outcomes: Float64Array.from(cells, ({ outcome }) => outcome),
    counts: Float64Array.from(cells, ({ count }) => count),
  };
}
