import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, type ErrorInfo } from '../../common/contract/errors.ts';
import { INCOMPLETE_ENDING } from '../../common/exports/export-texts.ts';
import { type ExportFormat, toContents, toLayout } from '../../common/model/exports/export-options.ts';
import type { RecordFilter } from '../../common/model/records/record-filter.ts';
import { findNamed, type ValueName } from '../../common/model/records/body-path.ts';
import {
  findLastDue,
  hasOwnFile,
  Schedule,
  ScheduleRun,
  toRunPeriod,
} from '../../common/model/schedules/schedule.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import { parseQuery } from '../../common/query/parse-query.ts';
import { createQueryClock } from '../../common/query/query-values.ts';
import { isDetailKind, toDetailKind } from '../../common/reporting/reports.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { toCivilTime } from '../../common/time/civil-time.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger, MissingFetcher } from '../coverage/ledger.ts';
import { type CoverageSubject, listLacking, measureSpans } from '../coverage/read-holdings.ts';
import { openListFile } from '../documents/json-file.ts';
import type { Exporter } from '../exports/create-exporter.ts';
import { toSafeFileName } from '../exports/partial-file.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskHandle } from '../tasks/task-registry.ts';

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

/** What runs are made with. */
export interface RunParts {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly connections: Pick<ConnectionStore, 'get' | 'listNames'>;
  readonly exporter: Pick<Exporter, 'write'>;
  readonly fetcher: Pick<MissingFetcher, 'fetchMissing'>;
  now(): number;
}

/** What a run left behind. */
export interface RunOutcome {
  readonly file: string;
  /** How much of the period is not cached. */
  readonly missingMs: number;
  /** Up to here nothing is missing. */
  readonly writtenToMs: number;
  /** Why what was missing could not be fetched. */
  readonly error: ErrorInfo | null;
}

/**
 * Writes the file of a schedule for a period, into its folder; fetches what is missing first where it says so. Throws
 * `connections.not-found`, `schedules.folder-gone`, `schedules.nothing-cached` (an empty file would say that there was
 * nothing), `schedules.query`, and as an export does.
 */
export async function runSchedule(
  parts: RunParts,
  schedule: Schedule,
  { fromMs, toMs }: TimeSpan,
  task: TaskHandle,
): Promise<RunOutcome> {
  const { connectionId, zone, choices, folder } = schedule;
  const { kind } = parts.connections.get(connectionId);
  const filter = readScheduleQuery(schedule, parts.connections.listNames(connectionId));
  await requireFolder(folder);
  const report = toDetailKind(schedule.report);
  const span = { connectionId, report, fromMs, toMs };
  const isFetched = schedule.fetchesMissing && kind !== 'imported';
  const error = isFetched
    ? await parts.fetcher.fetchMissing({ connectionId, report }, span, task.signal)
    : null;
  const missing = await listMissing(parts, span);
  const missingMs = measureSpans(missing);
  if (missingMs >= toMs - fromMs) {
    const reason = error === null ? {} : { reason: error.code };
    throw new AppError('schedules.nothing-cached', 'Nothing of the period is cached.', reason);
  }
  task.signal.throwIfAborted();
  // It may have gone while the records came.
  await requireFolder(folder);
  const file = nameRunFile(folder, { ...schedule, ...choices, fromMs, toMs, isComplete: missingMs === 0 });
  const { format, includePayload, includeNames, includeMarks } = choices;
  const isSummary = !isDetailKind(schedule.report);
  await parts.exporter.write(
    {
      scope: span,
      format,
      filter,
      order: [{ column: 'received', descending: false }],
      includePayload: includePayload && !isSummary,
      includeNames,
      includeMarks: includeMarks && !isSummary,
      zone,
      layout: toLayout(choices, schedule.columns),
      ...toContents(choices),
      ...(isSummary ? { isSummary } : {}),
    },
    file,
    task,
  );
  return { file, missingMs, writtenToMs: missing[0]?.fromMs ?? toMs, error };
}

/** Reads which records a schedule is about. Throws `schedules.query`. */
export function readScheduleQuery(
  { query, zone }: Pick<Schedule, 'query' | 'zone'>,
  names: readonly ValueName[],
): RecordFilter {
  const { filter, error } = parseQuery(query, createQueryClock(zone), (field, text) =>
    findNamed(names, field, text),
  );
  if (error === null) return filter;
  throw new AppError('schedules.query', `The query can't be understood: ${error.fault}.`, {
    fault: error.fault,
    text: error.text,
  });
}

async function requireFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return;
  throw new AppError('schedules.folder-gone', 'The folder is not there.', { folder });
}

/** What of a span was not read to its end; of the time to come nothing is missing. */
async function listMissing(
  { ledger, now }: RunParts,
  { connectionId, report, fromMs, toMs }: TimeSpan & CoverageSubject,
): Promise<TimeSpan[]> {
  const { spans } = await ledger.read({ connectionId, report }, { fromMs, toMs: Math.min(toMs, now()) });
  return listLacking(spans);
}

/** So much of a name leaves room for what makes each file's name its own. */
const MAX_NAME_BYTES = 140;

/**
 * Returns the path of a run's file, such as `Night errors 2026-11-22.xlsx`: what it holds, by the clock of the zone, and
 * `_incomplete` where something is missing, as other exports do. A file that is there is never replaced: the next one has a number.
 */
function nameRunFile(
  folder: string,
  about: {
    readonly name: string;
    readonly fromMs: number;
    readonly toMs: number;
    readonly zone: string;
    readonly format: ExportFormat;
    readonly isComplete: boolean;
  },
): string {
  const { name, fromMs, toMs, zone, format, isComplete } = about;
  const stem = `${cutTo(name, MAX_NAME_BYTES)} ${toPeriodName(fromMs, toMs, zone)}`;
  const ending = isComplete ? '' : INCOMPLETE_ENDING;
  for (let number = 1; ; number += 1) {
    const path = join(folder, toSafeFileName(number === 1 ? stem : `${stem} (${number})`, format, ending));
    if (!existsSync(path) && !existsSync(`${path}.part`)) return path;
  }
}

/** Cuts at whole characters. */
function cutTo(text: string, maxBytes: number): string {
  let cut = '';
  for (const character of text) {
    if (Buffer.byteLength(cut + character) > maxBytes) break;
    cut += character;
  }
  return cut;
}

/** Days where the period is of whole days, else times; without characters that a file name can't have. */
function toPeriodName(fromMs: number, toMs: number, zone: string): string {
  const [from, to] = [toParts(fromMs, zone), toParts(toMs, zone)];
  if (from.isMidnight && to.isMidnight) {
    const last = toParts(toMs - 1_000, zone);
    return from.day === last.day ? from.day : `${from.day} to ${last.day}`;
  }
  return `${from.day} ${from.time} to ${to.day === from.day ? '' : `${to.day} `}${to.time}`;
}

function toParts(atMs: number, zone: string): { day: string; time: string; isMidnight: boolean } {
  const { year, month, day, hour, minute, second } = toCivilTime(atMs, zone);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return {
    day: `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`,
    time: `${pad(hour)}${pad(minute)}`,
    isMidnight: hour + minute + second === 0,
  };
}
