import { AppError } from '../../common/contract/errors.ts';
import type { Input, Output } from '../../common/contract/index.ts';
import { findFollowedTail } from '../../common/model/cache/download.ts';
import { type Snapshot, toKnownTenant } from '../../common/model/cache/snapshot.ts';
import type {
  DocumentFormat,
  ExportLayout,
  PackSignature,
  RecordFormat,
} from '../../common/model/exports/export-options.ts';
import { type Period, toEndMs } from '../../common/model/period.ts';
import type { RecordScope } from '../../common/model/records/record-filter.ts';
import { createQueryClock } from '../../common/query/query-values.ts';
import { writeQuery } from '../../common/query/write-query.ts';
import { isDetailKind, type ReportKind } from '../../common/reporting/reports.ts';
import { toWireDate } from '../../common/reporting/wire-documents.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { EngineFile } from '../analysis/engine/files/write-file.ts';
import type { Cache } from '../cache/cache.ts';
import type { CallOptions } from '../calls/calls.ts';
import type { Ledger } from '../coverage/ledger.ts';
import { type CoverageSpan, isRead, join, listLacking } from '../coverage/read-holdings.ts';
import type { TaskHandle } from '../tasks/task-registry.ts';
import type { ExportMasks } from './evidence/masking/masks.ts';
import type { ExportAbout } from './formats/export-writer.ts';
import type { PartialFile } from './partial-file.ts';
import type { RowFeed } from './rows/row-batch.ts';

/** What of a file's content its manifest tells besides the file's own words. */
export interface ExportProvenance {
  readonly connectionId: string;
  /** The snapshots that the records came from. */
  readonly snapshotIds: readonly number[];
  /** What of the period is not cached, or not settled yet. */
  readonly gaps: readonly { readonly fromMs: number; readonly toMs: number; readonly state: string }[];
}

/** A file that the engine writes, into its own folder. */
export interface EngineExport {
  /** Names of the file's columns. */
  readonly columns: readonly string[];
  /** Writes it; null where it has to be written row by row. `about` is what the file says of itself, as JSON. Its progress is a `FileProgress`. */
  write(about: string, options: CallOptions): Promise<EngineFile | null>;
}

/** What a task and a dialog need to know of any export. */
interface PreparedTarget {
  readonly suggestedName: string;
  readonly connectionId: string;
  readonly snapshotId: number | null;
  /** Null while the number of rows is not known. */
  readonly recordCount: number | null;
  /** What of its period was not read to its end. */
  readonly missing: readonly TimeSpan[];
}

/** What became of a document. */
export interface WrittenDocument {
  readonly recordCount: number;
  /** Of an evidence pack. */
  readonly signature?: PackSignature;
}

/** A document that only needs a target: it is made of records as a whole, and tells itself what it holds. */
export interface PreparedDocument extends PreparedTarget {
  readonly format: DocumentFormat;
  /** Writes the document; resolves to the number of records that it is about. */
  write(
    file: Pick<PartialFile, 'write' | 'fill'>,
    task: Pick<TaskHandle, 'signal' | 'progress'>,
  ): Promise<WrittenDocument>;
  preview(): Promise<Output<'exports/preview'>>;
}

/** An export of rows that only needs a target: what it is of, and how its rows are read. */
export interface PreparedExport extends PreparedTarget {
  readonly format: RecordFormat;
  readonly layout: ExportLayout;
  describe(recordCount: number, nowMs: number): ExportAbout;
  readonly provenance: ExportProvenance;
  /** For formats that the engine writes. */
  readonly inEngine: EngineExport | null;
  /** For formats that are written row by row, and for a preview of any. */
  readonly rows: RowFeed;
  /** What its rows leave out; then the engine, which knows no masks, only turns their cells into a file of its own. */
  readonly masked: {
    readonly masks: ExportMasks;
    readonly columns: readonly { readonly name: string; readonly type: string }[];
  } | null;
}

/** What an export is of. */
export interface ExportSubject {
  readonly report: ReportKind;
  readonly connectionId: string;
  /** Null where the records were imported from a file that doesn't say it. */
  readonly tenant: number | null;
  readonly period: Period;
  /** What the ledger says: `open` where late records may still come, `incomplete` where something isn't cached. */
  readonly state: 'complete' | 'open' | 'incomplete';
  readonly isIncomplete: boolean;
  /** Of some of it a person's word alone says that nothing is missing. */
  readonly isStated?: boolean;
  /** Null for a period. */
  readonly snapshotId: number | null;
  readonly recordCount: number | null;
  /** Entries that could not be read as records, of every snapshot that the records are of: they are in no export. */
  readonly unreadableCount: number;
  /** A summary that is computed of cached records. */
  readonly isComputed?: boolean;
  /** What of it was not read to its end. */
  readonly missing: readonly TimeSpan[];
  /** Where the records come from, and what is missing of them. */
  readonly provenance: Pick<ExportProvenance, 'snapshotIds' | 'gaps'>;
}

/** The summary of the records of a subject; how many groups it has isn't known yet. */
export function toComputedSummary(subject: ExportSubject): ExportSubject {
  const report = subject.report.startsWith('inbound') ? 'inbound-summary' : 'outbound-summary';
  return { ...subject, report, recordCount: null, isComputed: true };
}

/** What subjects are read from. */
export interface SubjectParts {
  readonly cache: Pick<Cache, 'getSnapshot' | 'listSnapshots'>;
  readonly ledger: Pick<Ledger, 'read' | 'readSnapshot'>;
  now(): number;
}

/** Reads what an export is of. Throws `cache.snapshot-not-found`, also for a period of which nothing is cached. */
export async function readExportSubject(
  { cache, ledger, now }: SubjectParts,
  scope: RecordScope,
): Promise<ExportSubject> {
  if ('snapshotId' in scope) {
    const found = await cache.getSnapshot(scope.snapshotId);
    const { id, ...snapshot } = found;
    const { spans } = await ledger.readSnapshot(id);
    const unreadableCount = countUnreadable([snapshot]);
    const tenant = toKnownTenant(found.tenant, found.imported !== undefined);
    return {
      ...snapshot,
      tenant,
      snapshotId: id,
      unreadableCount,
      ...toState(spans),
      provenance: { snapshotIds: [id], gaps: toGaps(spans) },
    };
  }
  const { connectionId, report, fromMs, toMs } = scope;
  const snapshots = await cache.listSnapshots(connectionId);
  const own = snapshots.filter((snapshot) => snapshot.report === report);
  const [newest] = own;
  if (newest === undefined)
    throw new AppError('cache.snapshot-not-found', 'Nothing is cached of the period.', {});
  const { zone } = newest.period;
  const lastMs = toMs - 1000;
  const within = own.filter(({ period }) => period.fromMs < toMs && toEndMs(period) > fromMs);
  const found = await ledger.read({ connectionId, report }, { fromMs, toMs });
  const spans = openTail(found.spans, scope, now());
  return {
    report,
    connectionId,
    tenant: toKnownTenant(newest.tenant, newest.imported !== undefined),
    period: {
      startDate: toWireDate(fromMs, zone),
      endDate: toWireDate(lastMs, zone),
      fromMs,
      toMs: lastMs,
      zone,
    },
    ...toState(spans),
    snapshotId: null,
    recordCount: null,
    unreadableCount: countUnreadable(within),
    provenance: { snapshotIds: within.map(({ id }) => id), gaps: toGaps(spans) },
  };
}

/** What following has yet to fetch of a period that ends now counts as open. */
function openTail(spans: readonly CoverageSpan[], period: TimeSpan, nowMs: number): readonly CoverageSpan[] {
  const tail = findFollowedTail(
    spans.filter((span) => !isRead(span)),
    period,
    nowMs,
  );
  if (tail === null) return spans;
  return spans.map((span) => (span.fromMs < tail.fromMs ? span : { ...span, state: 'open' }));
}

function toState(
  spans: readonly CoverageSpan[],
): Pick<ExportSubject, 'state' | 'isIncomplete' | 'isStated' | 'missing'> {
  const missing = listLacking(spans);
  const stated = spans.some(({ isStated }) => isStated === true) ? { isStated: true } : {};
  if (missing.length > 0) return { state: 'incomplete', isIncomplete: true, ...stated, missing };
  const isSettled = spans.every(({ state }) => state === 'settled');
  return { state: isSettled ? 'complete' : 'open', isIncomplete: false, ...stated, missing };
}

function toGaps(spans: readonly CoverageSpan[]): ExportProvenance['gaps'] {
  const gaps = spans.flatMap(({ fromMs, toMs, state }) =>
    state === 'settled' ? [] : [{ fromMs, toMs, state }],
  );
  return join(gaps, (a, b) => a.state === b.state);
}

function countUnreadable(snapshots: readonly Pick<Snapshot, 'remarks'>[]): number {
  const remarks = snapshots.flatMap((snapshot) => snapshot.remarks);
  return remarks.reduce((sum, { code, count }) => sum + (code === 'record-unreadable' ? (count ?? 1) : 0), 0);
}

/** What a file says about itself. */
export function describeExport(
  subject: ExportSubject,
  { zone: clock, filter, isSummary = false }: Pick<Input<'exports/start'>, 'zone' | 'filter' | 'isSummary'>,
  recordCount: number,
  nowMs: number,
): ExportAbout {
  const { report, tenant, period, unreadableCount } = subject;
  const isFiltered = filter.conditions.length > 0;
  const state = isFiltered && subject.state !== 'incomplete' ? 'filtered' : subject.state;
  const { startDate, endDate, zone } = period;
  const exportedAt = new Date(nowMs).toISOString();
  // A summary has no dates of records.
  const shown = clock === undefined || !isDetailKind(report) ? {} : { clock };
  return {
    report,
    ...(tenant === null ? {} : { tenant }),
    startDate,
    endDate,
    zone,
    ...shown,
    ...(isSummary ? { source: 'computed' as const } : {}),
    ...(isFiltered ? { filter: writeQuery(filter, createQueryClock(clock ?? zone)) } : {}),
    state,
    ...(subject.isStated === true ? { stateBy: 'statement' as const } : {}),
    recordCount,
    ...(unreadableCount === 0 ? {} : { unreadableEntries: unreadableCount }),
    exportedAt,
  };
}
