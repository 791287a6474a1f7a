import type { LegendEntry } from './picture/chart-drawing.ts';

/** One part of every bar, from the first bar to the last. */
export interface BarSeries extends LegendEntry {
  readonly values: readonly number[];
}
