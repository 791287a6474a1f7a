import type { StatusTick } from '../../../src-main/common/model/status.ts';

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

export interface StripTick {
  readonly fromMs: number;
  readonly toMs: number;
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

export interface DownWindow {
  readonly field: StripField;
  readonly fromMs: number;
  readonly toMs: number;
  /** Still down in the newest tick that the service reported. */
  readonly ongoing: boolean;
}

/**
 * Spans in which a part was seen down, newest first. A tick without a check ends a span: what happened then
 * is not known. `partly` counts only beside a tick that was down all through.
 */
export function findDownWindows(ticks: readonly StatusTick[], field: StripField): DownWindow[] {
  const windows: DownWindow[] = [];
  const newest = ticks.findLastIndex((tick) => isReported(tick[field]));
  let start = -1;
  for (let index = 0; index <= ticks.length; index += 1) {
    const state = ticks[index]?.[field];
    const touched = state === 'down' || state === 'partly';
    if (touched && start < 0) start = index;
    if (!touched && start >= 0) {
      const run = ticks.slice(start, index);
      const [first, last] = [run[0], run.at(-1)];
      if (first !== undefined && last !== undefined && run.some((tick) => tick[field] === 'down')) {
        const ongoing = index - 1 === newest && last[field] === 'down';
        windows.push({ field, fromMs: first.fromMs, toMs: last.toMs, ongoing });
      }
      start = -1;
    }
  }
  return windows.reverse();
}

function isReported(state: TickState): boolean {
  return state === 'up' || state === 'down' || state === 'partly' || state === 'unknown';
}
