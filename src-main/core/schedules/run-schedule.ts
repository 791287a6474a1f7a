import { stat } from 'node:fs/promises';
import { AppError, type ErrorInfo } from '../../common/contract/errors.ts';
import { toContents, toLayout } from '../../common/model/exports/export-choices.ts';
import type { RecordFilter } from '../../common/model/records/record-filter.ts';
import { findNamed, type ValueName } from '../../common/model/records/value-name.ts';
import type { Schedule } from '../../common/model/schedules/schedule.ts';
import { parseQuery } from '../../common/query/parse-query.ts';
import { createQueryClock } from '../../common/query/query-clock.ts';
import { isDetailKind, toDetailKind } from '../../common/reporting/reports.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { type CoverageSubject, listLacking, measureSpans } from '../coverage/read-holdings.ts';
import type { Ledger } from '../coverage/create-ledger.ts';
import type { MissingFetcher } from '../coverage/fetch-missing.ts';
import type { Exporter } from '../exports/create-exporter.ts';
import type { TaskHandle } from '../tasks/task-registry.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toCivilTime } from '../../common/time/time-zones.ts';
import { INCOMPLETE_ENDING } from '../../common/exports/export-stem.ts';
import type { ExportFormat } from '../../common/model/exports/export-options.ts';
import { toSafeFileName } from '../exports/safe-file-name.ts';

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
