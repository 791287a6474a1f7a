import { AppError } from '../../common/contract/errors.ts';
import type { Input } from '../../common/contract/index.ts';
import {
  type ImportedFrom,
  type Remark,
  type Snapshot,
  type SnapshotState,
  STATED_REMARK,
} from '../../common/model/cache/snapshot.ts';
import { type Period, toEndMs } from '../../common/model/period.ts';
import { toUnreadable } from '../../common/words/to-unreadable.ts';
import type { Cache } from '../cache/cache.ts';
import type { StoredImport } from '../cache/imports.ts';
import { holds, toStatedDetail } from '../cache/write/snapshot-writes.ts';
import { toPeriod, toWholeSeconds } from '../downloads/slice-period.ts';
import type { Survey } from './files/survey-records.ts';
import type { PageOrigin } from './files/write-imported-pages.ts';
import type { FileReader } from './reading/with-import-thread.ts';

/** How long after its period a report may still get late records, where nothing says it. */
const LATE_MS = 600_000;

/** Where the records of a file go. */
interface RecordTarget {
  readonly connectionId: string;
  readonly tenant: number;
  readonly imported: ImportedFrom;
  /** The person states that the file holds all records of a span; null stands for the first record, or the last one. */
  readonly complete?: Input<'imports/start'>['complete'];
}

/**
 * Imports the records of a surveyed file into one snapshot, which is there once all of them are. Throws
 * `imports.unreadable` for a file that changed meanwhile.
 */
export async function importRecords(
  { cache, reader }: { readonly cache: Importing; readonly reader: Pick<FileReader, 'readPage'> },
  survey: Survey,
  { connectionId, tenant, complete, ...target }: RecordTarget,
  { signal, onBytes, beforeShown }: ImportRun,
): Promise<Snapshot[]> {
  const { facts, report, recordCount } = survey;
  const isStatedOf = complete !== undefined && toState(survey) !== 'complete';
  if (isStatedOf && facts.state !== null)
    throw new AppError('imports.not-all', 'The file says itself that it lacks records.', {});
  // Another computer's clock may have been ahead.
  const madeAtMs = Math.min(facts.exportedAtMs ?? target.imported.importedAtMs, target.imported.importedAtMs);
  const found = findPeriod(survey, madeAtMs);
  const period = isStatedOf ? widen(found, complete) : found;
  const imported = isStatedOf ? { ...target.imported, periodBefore: found } : target.imported;
  const snapshotId = await cache.beginImport({
    connectionId,
    tenant,
    report,
    period,
    startedAtMs: madeAtMs,
    stillOpen: facts.exportedAtMs !== null && period.toMs + LATE_MS >= madeAtMs,
    imported,
    name: '',
    note: '',
    settledToMs: null,
  });
  const stored: StoredImport[] = [];
  const origin = { fileName: imported.fileName, fileSha256: imported.fileSha256, total: recordCount };
  for await (const { cursorSent, bytes, readBytes } of readPages(reader, origin)) {
    signal.throwIfAborted();
    onBytes(readBytes);
    const page = {
      snapshotId,
      pageNumber: stored.length,
      cursorSent,
      status: 200,
      requestedAtMs: imported.importedAtMs,
      receivedAtMs: imported.importedAtMs,
      sliceNumber: 0,
      walkNumber: 0,
      sizeAsked: null,
      knownEntries: 0,
      leftOut: [],
    };
    stored.push(await cache.importPage(page, bytes));
  }
  const entries = stored.reduce((sum, { entryCount }) => sum + entryCount, 0);
  if (entries !== recordCount) throw toUnreadable('changed-meanwhile');
  await beforeShown();
  return cache.finishImport([
    {
      snapshotId,
      state: isStatedOf ? 'complete' : toState(survey),
      failure: null,
      fetchedAtMs: madeAtMs,
      totalDocument: recordCount,
      remarks: [
        ...listRemarks(survey, stored),
        ...(isStatedOf || (facts.isStated && toState(survey) === 'complete')
          ? [{ code: STATED_REMARK, detail: toStatedDetail(period) }]
          : []),
      ],
      download: null,
    },
  ]);
}

/** The next page is read while one is stored. */
async function* readPages(
  reader: Pick<FileReader, 'readPage'>,
  origin: PageOrigin,
): AsyncGenerator<NonNullable<Awaited<ReturnType<FileReader['readPage']>>>> {
  let next = reader.readPage(origin);
  for (;;) {
    const page = await next;
    if (page === null) return;
    next = reader.readPage(origin);
    // Whoever gives up between two pages must not leave its failure unhandled.
    next.catch(() => undefined);
    yield page;
  }
}

/** The period that the file states; where it states none, that of its records. */
function findPeriod({ facts, zone, firstMs, lastMs }: Survey, madeAtMs: number): Period {
  if (facts.period !== null && facts.period.zone === zone) return facts.period;
  const span = facts.period ?? { fromMs: firstMs ?? madeAtMs, toMs: lastMs ?? madeAtMs };
  const toSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;
  return toPeriod({ fromMs: toSecond(span.fromMs), toMs: toSecond(span.toMs) }, zone);
}

/** The period that a person stated, from that of the records. Throws `imports.narrow-period` where it leaves records out. */
function widen(found: Period, { fromMs, toMs }: NonNullable<RecordTarget['complete']>): Period {
  const own = { fromMs: fromMs ?? found.fromMs, toMs: toMs ?? toEndMs(found) };
  const period = toPeriod(toWholeSeconds(own), found.zone);
  if (!holds(period, found))
    throw new AppError('imports.narrow-period', 'The period leaves records out.', {});
  return period;
}

/** Complete only where the file says so. */
function toState({ facts }: Survey): SnapshotState {
  const isRead = facts.state === 'complete' || facts.state === 'open';
  return isRead && facts.period !== null ? 'complete' : 'incomplete';
}

function listRemarks(survey: Survey, stored: readonly StoredImport[]): Remark[] {
  const { facts, zone } = survey;
  const remarks = new Map<string, Remark>();
  for (const { code, count, detail } of stored.flatMap((page) => page.remarks)) {
    const known = remarks.get(code)?.count;
    const sum = count === undefined ? known : (known ?? 0) + count;
    remarks.set(code, {
      code,
      ...(sum === undefined ? {} : { count: sum }),
      ...(detail === undefined ? {} : { detail }),
    });
  }
  const add = (code: string, isTrue: boolean, more: Omit<Remark, 'code'> = {}): void => {
    if (isTrue) remarks.set(code, { code, ...more });
  };
  add('dates-outside-period', survey.outsideCount > 0, { count: survey.outsideCount });
  const { doubled, notNumbers } = survey.findings;
  if (doubled !== null) add('doubled-keys', true, { count: doubled.count, detail: doubled.name });
  if (notNumbers !== null) {
    add('import-not-a-number', true, { count: notNumbers.count, detail: String(notNumbers.first) });
  }
  add('import-filtered', facts.state === 'filtered');
  add('import-incomplete', facts.state !== null && !['complete', 'filtered'].includes(facts.state));
  add('import-unstated', facts.state === null);
  add('import-zone-assumed', survey.isZoneAssumed, { detail: zone });
  add('import-guard-assumed', survey.isGuardAssumed);
  const { dates } = survey;
  if (dates !== null && dates.readCount > 0) {
    const detail = `${dates.sample ?? ''} → ${(dates.sampleIso ?? '').replace('T', ' ').replace(/\.000(?!\d)/, '')}`;
    add('import-dates-converted', true, { count: dates.readCount, detail });
  }
  if (dates !== null && dates.unreadCount > 0) {
    add('import-dates-unread', true, { count: dates.unreadCount, detail: dates.unreadSample ?? '' });
  }
  return [...remarks.values()];
}

export type ImportCache = Pick<
  Cache,
  'beginImport' | 'importPage' | 'finishImport' | 'dropImport' | 'purgeRemoved'
>;

/** What an import writes with: everything that it began is given up together where it fails. */
export type Importing = Pick<ImportCache, 'beginImport' | 'importPage' | 'finishImport'>;

/** How an import goes on. */
export interface ImportRun {
  readonly signal: AbortSignal;
  /** Is told each number of bytes that were read. */
  onBytes(bytes: number): void;
  /** Is awaited before what was imported is shown. */
  beforeShown(): Promise<void>;
}

/** Before any removal: only deletes what was given up. */
const NOTHING_REMOVED_MS = -1;

/** Runs an import. Where it fails, nothing of it stays, also on the disk; then rejects as it did. */
export async function withImport<Result>(
  cache: ImportCache,
  work: (importing: Importing) => Promise<Result>,
): Promise<Result> {
  const begun: number[] = [];
  try {
    return await work({
      async beginImport(input) {
        const snapshotId = await cache.beginImport(input);
        begun.push(snapshotId);
        return snapshotId;
      },
      importPage: (page, bytes) => cache.importPage(page, bytes),
      finishImport: (imports) => cache.finishImport(imports),
    });
  } catch (error) {
    // What can't be deleted now is deleted at the next start; the reason of the failure matters more.
    await cache
      .dropImport(begun)
      .then(() => cache.purgeRemoved(NOTHING_REMOVED_MS))
      .catch(() => undefined);
    throw error;
  }
}
