import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import { ScheduleRun } from '../../common/model/schedules/schedule-run.ts';
import { Schedule } from '../../common/model/schedules/schedule.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import type { Logger } from '../logging/logger.ts';
import { openListFile } from '../documents/list-file.ts';
import type { Progress } from './plan-runs.ts';

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
