import { hasOwnFile, toRunPeriod } from '../../common/model/schedules/schedule-period.ts';
import { findLastDue } from '../../common/model/schedules/schedule-times.ts';
import type { Schedule } from '../../common/model/schedules/schedule.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';

/** A run that is to be made. */
export interface PlannedRun extends TimeSpan {
  readonly dueAtMs: number;
  readonly cause: 'time' | 'catch-up';
  /** Times before it for which there is no run of their own. */
  readonly skipped: number;
}

/** How far the runs of a schedule have come. */
export interface Progress {
  /** The newest time that nothing is to be done for any more; 0 for none. */
  readonly handledMs: number;
  /** Up to here the files leave nothing out; 0 without a file. */
  readonly writtenToMs: number;
}

/** Whole days, weeks or months that are caught up with, so that a month away does not write files all morning. */
export const MAX_CAUGHT_UP = 7;
/** Most due times that are looked back on: six weeks of an hourly schedule. */
const MAX_TIMES = 1_000;
/** Due times are looked for more often than this: one that passed longer ago passed while nothing was running. */
const LATE_MS = 120_000;

/**
 * Returns the runs that are due, oldest first. Of times that passed while nothing ran, whole days, weeks and months have
 * a run each, the newest seven, since no other file holds them; what goes on from the time before is one run over all of
 * it and over what failed before; of periods that a later one stands for, such as the last 24 hours, only the newest time counts.
 */
export function planRuns(
  schedule: Pick<Schedule, 'period' | 'zone' | 'times' | 'countsFromMs'>,
  { handledMs, writtenToMs }: Progress,
  nowMs: number,
  weekStart: Settings['weekStart'],
): PlannedRun[] {
  const { period, zone, times, countsFromMs } = schedule;
  const sinceMs = Math.max(handledMs, countsFromMs);
  const dues: number[] = [];
  for (let dueMs = findLastDue(times, zone, nowMs); dueMs > sinceMs && dues.length < MAX_TIMES;) {
    dues.push(dueMs);
    dueMs = findLastDue(times, zone, dueMs - 1);
  }
  const [newest] = dues;
  const oldest = dues.at(-1);
  if (newest === undefined || oldest === undefined) return [];
  const toRun = (dueAtMs: number): Omit<PlannedRun, 'skipped'> => ({
    dueAtMs,
    cause: nowMs - dueAtMs > LATE_MS ? 'catch-up' : 'time',
    ...toRunPeriod(schedule, dueAtMs, weekStart),
  });
  const skipped = dues.length - 1;
  if (!hasOwnFile(period)) return [{ ...toRun(newest), skipped }];
  if (period === 'since-before') {
    // A run before it that failed left its period to this one.
    const openMs = Math.max(writtenToMs, findLastDue(times, zone, countsFromMs));
    const fromMs = Math.min(toRunPeriod(schedule, oldest, weekStart).fromMs, openMs);
    return [{ ...toRun(newest), fromMs, skipped }];
  }
  // The newest time of each period comes first.
  const runs = new Map<number, Omit<PlannedRun, 'skipped'>>();
  for (const due of dues) {
    const run = toRun(due);
    if (!runs.has(run.fromMs)) runs.set(run.fromMs, run);
  }
  const kept = [...runs.values()].slice(0, MAX_CAUGHT_UP).reverse();
  return kept.map((run, place) => ({ ...run, skipped: place === 0 ? dues.length - kept.length : 0 }));
}
