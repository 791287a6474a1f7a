import type { StatusTick } from '../../../../src-main/common/model/connections/status.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';

export type StripField = 'platform' | 'connector';
export type TickState = StatusTick[StripField];

/** Height of a tick in percent: the second cue beside its colour. */
const TICK_HEIGHTS: Readonly<Record<TickState, number>> = {
  up: 100,
  partly: 66,
  down: 42,
  unknown: 26,
  unreachable: 26,
  'not-checked': 20,
};

export interface StripTick extends TimeSpan {
  readonly state: TickState;
  readonly heightPercent: number;
}

/** The ticks of one card, oldest first. */
export function toStripTicks(ticks: readonly StatusTick[], field: StripField): StripTick[] {
  return ticks.map((tick) => ({
    fromMs: tick.fromMs,
    toMs: tick.toMs,
    state: tick[field],
    heightPercent: TICK_HEIGHTS[tick[field]],
  }));
}

/** Counts of ticks by state, for the sentence that describes the strip. */
export function countTickStates(ticks: readonly StripTick[]): Readonly<Record<TickState, number>> {
  const counts = { up: 0, partly: 0, down: 0, unknown: 0, unreachable: 0, 'not-checked': 0 };
  for (const tick of ticks) counts[tick.state] += 1;
  return counts;
}
