import { stat } from 'node:fs/promises';
import { AppError, type ErrorInfo } from '../../common/contract/errors.ts';
import { toLayout } from '../../common/model/exports/export-choices.ts';
import type { RecordFilter } from '../../common/model/records/record-filter.ts';
import { findNamed, type ValueName } from '../../common/model/records/value-name.ts';
import type { Schedule } from '../../common/model/schedules/schedule.ts';
import { parseQuery } from '../../common/query/parse-query.ts';
import { createQueryClock } from '../../common/query/query-clock.ts';
import { isDetailKind, toDetailKind, type DetailKind } from '../../common/reporting/reports.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { readCoverage } from '../analysis/read-coverage.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { findLookBackMs } from '../connections/find-look-back.ts';
import type { Exporter } from '../exports/create-exporter.ts';
import { listWalkedParts } from '../snapshots/walked-parts.ts';
import type { TaskHandle } from '../tasks/task-registry.ts';
import type { MissingFetcher } from './fetch-missing.ts';
import { nameRunFile } from './name-run-file.ts';

/** What runs are made with. */
export interface RunParts {
  readonly cache: Cache;
  readonly connections: Pick<ConnectionStore, 'get' | 'listNames'>;
  readonly exporter: Pick<Exporter, 'write'>;
  readonly fetcher: Pick<MissingFetcher, 'fetchSpan'>;
  now(): number;
}

/** What a run left behind. */
export interface RunOutcome {
  readonly file: string;
  /** How much of the period is not cached. */
  readonly missingMs: number;
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
  const error = isFetched ? await parts.fetcher.fetchSpan(span, task.signal) : null;
  const missingMs = await readMissingMs(parts, span);
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
      ...(isSummary ? { isSummary } : {}),
    },
    file,
    task,
  );
  return { file, missingMs, error };
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

/** Records that may still arrive late don't count. */
async function readMissingMs(
  { cache, connections, now }: RunParts,
  {
    connectionId,
    report,
    fromMs,
    toMs,
  }: TimeSpan & { readonly connectionId: string; readonly report: DetailKind },
): Promise<number> {
  const snapshots = (await cache.listSnapshots(connectionId)).filter((each) => each.report === report);
  const walked = await listWalkedParts(cache, connectionId, report);
  const range = { fromMs, toMs: Math.min(toMs, now()), buckets: 1 };
  const { gaps } = readCoverage(snapshots, range, findLookBackMs(connections, connectionId), walked);
  return gaps.reduce((sum, gap) => sum + (gap.state === 'open' ? 0 : gap.toMs - gap.fromMs), 0);
}
