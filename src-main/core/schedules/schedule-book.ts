import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import { hasOwnFile, toRunPeriod, findLastDue } from '../../common/model/schedules/schedule-period.ts';
import { ScheduleRun, Schedule } from '../../common/model/schedules/schedule.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { openListFile } from '../documents/list-file.ts';
import type { Logger } from '../logging/logger.ts';

/** Entries of the log that are kept of a schedule. */
const KEPT_RUNS = 100;
/** What nobody could fetch for so long may be gone from the service: it must not make each file longer than the last. */
const MAX_HOLE_MS = 7 * DAY_MS;
/** A run that ends the application each time is given up after this many tries. */
const MAX_KILLED = 2;

/** The schedules of a data folder, and what became of their runs. */
export interface ScheduleBook {
  list(): readonly Schedule[];
  /** Throws `schedules.not-found`. */
  get(scheduleId: string): Schedule;
  save(schedule: Schedule): Promise<void>;
  /** Removes the log as well. */
  remove(scheduleId: string): Promise<void>;
  /** Newest first. */
  readLog(scheduleId: string): readonly ScheduleRun[];
  /** Adds an entry, or changes the one with its id. */
  note(run: ScheduleRun): Promise<void>;
  readProgress(scheduleId: string): Progress;
}

/** Opens the schedules; runs that were under way when the application ended are noted as interrupted. */
export async function openScheduleBook(options: {
  readonly folder: string;
  readonly logger: Logger;
  now(): number;
}): Promise<ScheduleBook> {
  const { folder } = options;
  const scheduleFile = await openListFile({
    ...options,
    path: join(folder, 'schedules.json'),
    schema: Schedule,
  });
  const runFile = await openListFile({
    ...options,
    path: join(folder, 'schedule-runs.json'),
    schema: ScheduleRun,
  });
  let schedules = scheduleFile.entries;
  /** Oldest first. */
  let runs = runFile.entries.map((run): ScheduleRun =>
    run.state === 'running' ? { ...run, state: 'interrupted', endedAtMs: null } : run,
  );

  const saveSchedules = async (next: readonly Schedule[]): Promise<void> => {
    const before = schedules;
    schedules = next;
    try {
      const unfit = await scheduleFile.save(next);
      schedules = schedules.filter((schedule) => !unfit.includes(schedule));
    } catch (error) {
      schedules = before;
      throw error;
    }
  };
  const saveRuns = async (next: readonly ScheduleRun[]): Promise<void> => {
    runs = [...next];
    const unfit = await runFile.save(next);
    runs = runs.filter((run) => !unfit.includes(run));
  };
  const listRuns = (scheduleId: string): ScheduleRun[] => runs.filter((run) => run.scheduleId === scheduleId);

  return {
    list: () => schedules,
    get(scheduleId) {
      const found = schedules.find(({ id }) => id === scheduleId);
      if (found !== undefined) return found;
      throw new AppError('schedules.not-found', 'There is no such schedule.', { scheduleId });
    },
    save: (schedule) =>
      saveSchedules([...schedules.filter(({ id }) => id !== schedule.id), schedule].toSorted(byName)),
    async remove(scheduleId) {
      await saveSchedules(schedules.filter(({ id }) => id !== scheduleId));
      await saveRuns(runs.filter((run) => run.scheduleId !== scheduleId));
    },
    readLog: (scheduleId) => listRuns(scheduleId).reverse(),
    async note(run) {
      const place = runs.findIndex(({ id }) => id === run.id);
      if (place >= 0) return saveRuns(runs.with(place, run));
      const dropped = new Set(listRuns(run.scheduleId).slice(0, 1 - KEPT_RUNS));
      return saveRuns([...runs.filter((each) => !dropped.has(each)), run]);
    },
    readProgress(scheduleId) {
      const all = listRuns(scheduleId);
      const own = all.filter(({ cause }) => cause !== 'by-hand');
      const isKilled = ({ state, endedAtMs }: ScheduleRun): boolean =>
        state === 'interrupted' && endedAtMs === null;
      const isOver = ({ state, dueAtMs }: ScheduleRun): boolean =>
        state !== 'interrupted' ||
        own.filter((run) => isKilled(run) && run.dueAtMs === dueAtMs).length >= MAX_KILLED;
      const handledMs = Math.max(0, ...own.filter(isOver).map(({ dueAtMs }) => dueAtMs));
      return { handledMs, writtenToMs: findWrittenTo(all) };
    },
  };
}

/** A file that begins after a hole does not close it, and one with a hole reaches up to that, for a week. */
function findWrittenTo(runs: readonly ScheduleRun[]): number {
  return runs
    .toSorted((a, b) => a.toMs - b.toMs)
    .reduce((reached, { fromMs, toMs, writtenToMs }) => {
      if (writtenToMs === null || (reached !== 0 && fromMs > reached)) return reached;
      return Math.max(reached, writtenToMs, toMs - MAX_HOLE_MS);
    }, 0);
}

function byName(a: Schedule, b: Schedule): number {
  return a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1);
}

/** A run that is to be made. */
interface PlannedRun extends TimeSpan {
  readonly dueAtMs: number;
  readonly cause: 'time' | 'catch-up';
  /** Times before it for which there is no run of their own. */
  readonly skipped: number;
}

/** How far the runs of a schedule have come. */
interface Progress {
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
