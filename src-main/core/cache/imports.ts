import { createHash } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import type { ImportedFrom, Remark, Snapshot, SnapshotState } from '../../common/model/cache/snapshot.ts';
import { readPage, type SetAside } from '../../common/reporting/reading/read-page.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds, type ReportKind } from '../../common/reporting/reports.ts';
import type { Database } from '../../node/open-database.ts';
import type { CallContext } from '../calls/calls.ts';
import { type DownloadRow, LEFT_OUT_REASONS } from './read/download-rows.ts';
import type { SnapshotReader } from './read/snapshot-rows.ts';
import { createStoredPages, packBody } from './read/stored-pages.ts';
import { createRowDigest, prepareInsert } from './write/insert-records.ts';
import { leaveOut } from './write/left-out.ts';
import { type NewPage, NEXT_FETCHED_ORDER, preparePageWrites } from './write/page-writes.ts';
import { prepareSliceWrites } from './write/slice-writes.ts';
import type { NewSnapshot } from './write/snapshot-writes.ts';

/** Hides a snapshot while it is being imported; the next start deletes one that a crash left so. */
const BEING_IMPORTED = 4;

/** A page of an import with the journal's words about it. */
export interface ImportedPage extends Pick<
  NewPage,
  | 'snapshotId'
  | 'pageNumber'
  | 'cursorSent'
  | 'status'
  | 'requestedAtMs'
  | 'receivedAtMs'
  | 'sliceNumber'
  | 'walkNumber'
  | 'sizeAsked'
  | 'knownEntries'
> {
  /** Readable entries that are left out of the snapshot: those at a cut, and those beside the period. */
  readonly leftOut: readonly SetAside[];
}

interface IncomingImport {
  readonly page: ImportedPage;
  readonly bytes: ArrayBuffer;
}

/** What was stored of a page. */
export interface StoredImport {
  readonly entryCount: number;
  readonly recordCount: number;
  /** What had to be tolerated in it. */
  readonly remarks: readonly Remark[];
  /** What `records_sha256` of the journal is now. */
  readonly recordsSha256: string;
}

interface OwnerRow {
  readonly report: ReportKind;
  readonly zone: string;
  readonly pageCount: number;
  readonly recordCount: number;
}

/**
 * Prepares the storing of an import's pages, each in one transaction, in their order. Throws what reading a page throws,
 * `cache.snapshot-not-found` for a snapshot that is not being imported, and `app.invalid-input` for a page out of order.
 */
function prepareImportedPages(database: Database): (input: IncomingImport) => StoredImport {
  const writes = preparePageWrites(database);
  const insert = mapKinds(DETAIL_KINDS, (kind) => prepareInsert(database, kind));
  const findOwner = database.prepare<[number], OwnerRow>(
    `SELECT report, zone, page_count AS pageCount, record_count AS recordCount FROM snapshots
     WHERE snapshot_id = ? AND is_removed = ${BEING_IMPORTED}`,
  );

  const store = database.transaction((page: ImportedPage, body: Uint8Array): StoredImport => {
    const { snapshotId, pageNumber, knownEntries } = page;
    const owner = findOwner.get(snapshotId);
    if (owner === undefined) {
      throw new AppError('cache.snapshot-not-found', 'The snapshot is not being imported.', { snapshotId });
    }
    if (owner.pageCount !== pageNumber) {
      throw new AppError('app.invalid-input', 'The page is out of order.', { snapshotId, pageNumber });
    }
    const { report } = owner;
    const read = leaveOut(readPage(body, { report, zone: owner.zone }), page.leftOut);
    const isDetail = isDetailKind(report);
    const knownRecords = knownEntries - read.setAside.filter(({ index }) => index < knownEntries).length;
    const records = read.records.slice(knownRecords);
    const setAside = read.setAside.filter(({ index }) => index >= knownEntries);
    const digest = createRowDigest();
    if (isDetailKind(report)) insert[report](snapshotId, owner.recordCount, records, digest);
    else writes.insertGroups(snapshotId, owner.recordCount, read.groups, digest);
    for (const { index, reason, text } of setAside) digest.add({ values: [index, reason, text] });
    const stored = isDetail ? records.length : read.groups.length;
    const recordsSha256 = digest.finish();
    writes.insertPage({
      snapshotId,
      pageNumber,
      cursorSent: page.cursorSent,
      cursorReceived: read.lastDocument,
      entryCount: read.recordCount,
      firstSeq: owner.recordCount,
      stored,
      size: body.byteLength,
      sha256: createHash('sha256').update(body).digest('hex'),
      recordsSha256,
      totalDocument: read.totalDocument,
      executionTimeMs: read.executionTimeMs,
      status: page.status,
      requestedAtMs: page.requestedAtMs,
      receivedAtMs: page.receivedAtMs,
      sliceNumber: page.sliceNumber,
      walkNumber: page.walkNumber,
      sizeAsked: page.sizeAsked,
      knownEntries,
    });
    writes.insertBody(snapshotId, pageNumber, packBody(body));
    for (const entry of setAside) writes.insertSetAside(snapshotId, pageNumber, entry);
    writes.updateSnapshot({
      snapshotId,
      stored,
      freshEntries: read.recordCount - knownEntries,
      pageRecords: isDetail ? read.records.length : read.groups.length,
      pageEntries: read.recordCount,
      overlap: 0,
      size: body.byteLength,
      totalDocument: read.totalDocument,
      receivedAtMs: page.receivedAtMs,
      idReport: read.idReport,
      nameVisualization: read.nameVisualization,
      nextCursor: null,
    });
    return {
      entryCount: read.recordCount,
      recordCount: stored,
      remarks: read.remarks,
      recordsSha256,
    };
  });

  return ({ page, bytes }) => store.immediate(page, new Uint8Array(bytes));
}

/** A snapshot that is imported: hidden until `finishImport`. */
interface NewImport extends NewSnapshot {
  readonly imported: ImportedFrom;
  readonly name: string;
  readonly note: string;
  /** Of a day that following filled; null for any other. */
  readonly settledToMs: number | null;
}

/** How the download of an imported snapshot went; null fields where nothing is known of it. */
interface ImportedDownload extends Pick<
  DownloadRow,
  | 'queuedAtMs'
  | 'endedAtMs'
  | 'sliceDays'
  | 'askedStart'
  | 'baseAddress'
  | 'reportIdentifier'
  | 'pageSize'
  | 'forecastTotal'
  | 'resumedCount'
> {
  /** JSON of the error that ended it; null for none. */
  readonly failure: string | null;
  readonly slices: readonly {
    readonly sliceNumber: number;
    readonly fromMs: number;
    readonly toMs: number;
    readonly startDate: string;
    readonly endDate: string;
  }[];
}

/** What a snapshot is once all of its pages are there. */
interface FinishedImport {
  readonly snapshotId: number;
  readonly state: SnapshotState;
  readonly failure: string | null;
  readonly fetchedAtMs: number | null;
  readonly totalDocument: number | null;
  readonly remarks: readonly Remark[];
  readonly download: ImportedDownload | null;
}

/** Everything that an import writes. */
export function createImportWriter(database: Database, snapshots: SnapshotReader, afterWrite: () => void) {
  const storePage = prepareImportedPages(database);
  const insert = database.prepare(
    `INSERT INTO snapshots (connection_id, tenant, report, start_date, end_date, from_ms, to_ms, zone, state,
       started_at_ms, still_open, imported, name, note, settled_to_ms, is_removed, fetched_order)
     VALUES (@connectionId, @tenant, @report, @startDate, @endDate, @fromMs, @toMs, @zone, 'incomplete',
       @startedAtMs, @stillOpen, @imported, @name, @note, @settledToMs, ${BEING_IMPORTED},
       ${NEXT_FETCHED_ORDER})`,
  );
  const show = database.prepare(
    `UPDATE snapshots SET is_removed = 0, state = @state, failure = @failure, fetched_at_ms = @fetchedAtMs,
       fetched_order = ${NEXT_FETCHED_ORDER}, total_document = @totalDocument,
       slice_number = coalesce((SELECT max(l.slice_number) FROM slices AS l WHERE l.snapshot_id = @snapshotId), 0)
     WHERE snapshot_id = @snapshotId AND is_removed = ${BEING_IMPORTED}`,
  );
  const addRemark = database.prepare(
    'INSERT OR REPLACE INTO remarks (snapshot_id, code, count, detail) VALUES (?, ?, ?, ?)',
  );
  const addDownload = database.prepare(
    `INSERT INTO downloads (snapshot_id, state, queued_at_ms, ended_at_ms, slice_days, asked_start, base_address,
       report_identifier, page_size, forecast_total, resumed_count, failure)
     VALUES (@snapshotId, 'ended', @queuedAtMs, @endedAtMs, @sliceDays, @askedStart, @baseAddress,
       @reportIdentifier, @pageSize, @forecastTotal, @resumedCount, @failure)`,
  );
  const addSlice = database.prepare(
    `INSERT INTO slices (snapshot_id, slice_number, from_ms, to_ms, start_date, end_date, next_cursor)
     VALUES (@snapshotId, @sliceNumber, @fromMs, @toMs, @startDate, @endDate, NULL)`,
  );
  const { recount } = prepareSliceWrites(database);
  const drop = database.prepare(
    `UPDATE snapshots SET is_removed = 2 WHERE snapshot_id = ? AND is_removed = ${BEING_IMPORTED}`,
  );

  const finish = (input: FinishedImport): Snapshot => {
    const { remarks, download, ...shown } = input;
    const { snapshotId } = input;
    if (download !== null) {
      const { slices, ...row } = download;
      addDownload.run({ snapshotId, ...row });
      for (const slice of slices) addSlice.run({ snapshotId, ...slice });
      recount(snapshotId);
    }
    for (const { code, count, detail } of remarks) {
      addRemark.run(snapshotId, code, count ?? null, detail ?? null);
    }
    show.run(shown);
    return snapshots.get(snapshotId);
  };
  const finishAll = database.transaction((imports: readonly FinishedImport[]) => imports.map(finish));
  const dropAll = database.transaction((snapshotIds: readonly number[]) => {
    for (const snapshotId of snapshotIds) drop.run(snapshotId);
  });

  // Left by a crash in the middle; the next sweep deletes it.
  database.exec(`UPDATE snapshots SET is_removed = 2 WHERE is_removed = ${BEING_IMPORTED}`);

  return {
    /** Begins a snapshot that nobody sees yet; returns its id. */
    beginImport: ({ period, stillOpen, imported, ...more }: NewImport): number => {
      const row = { ...more, ...period, stillOpen: Number(stillOpen), imported: JSON.stringify(imported) };
      return Number(insert.run(row).lastInsertRowid);
    },
    importPage: (input: IncomingImport, { signal }: CallContext): StoredImport => {
      signal.throwIfAborted();
      const stored = storePage(input);
      afterWrite();
      return stored;
    },
    /** Shows the snapshots of an import, all of them in one transaction. */
    finishImport: (imports: readonly FinishedImport[]): Snapshot[] => finishAll.immediate(imports),
    /** Gives up snapshots that nobody has seen; the next purge deletes them. */
    dropImport: (snapshotIds: readonly number[]): void => dropAll.immediate(snapshotIds),
  };
}

/** A page with what the journal says of it, for a file that proves where its records came from. */
export type PortablePage = Omit<ImportedPage, 'snapshotId'> & {
  readonly entryCount: number;
  readonly recordCount: number;
  readonly sizeBytes: number;
  /** Of the bytes as received, in hex. */
  readonly sha256: string;
  readonly isDamaged: boolean;
};

/** All that takes to bring a snapshot to another computer but the bytes of its pages. */
export interface PortableSource {
  readonly pages: readonly PortablePage[];
  readonly slices: ImportedDownload['slices'];
}

interface PageRow extends Omit<PortablePage, 'leftOut' | 'isDamaged'> {
  readonly isDamaged: number;
}

const LEFT_OUT = Object.values(LEFT_OUT_REASONS)
  .map((reason) => `'${reason}'`)
  .join(', ');

/** Prepares the reading of snapshots for portable files. */
export function createPortableReader(database: Database) {
  const pages = database.prepare<[number], PageRow>(
    `SELECT p.page_number AS pageNumber, cursor_sent AS cursorSent, status, requested_at_ms AS requestedAtMs,
       received_at_ms AS receivedAtMs, slice_number AS sliceNumber, walk_number AS walkNumber,
       size_asked AS sizeAsked, known_entries AS knownEntries, entry_count AS entryCount,
       record_count AS recordCount, size_bytes AS sizeBytes, sha256, is_damaged AS isDamaged
     FROM pages AS p
     WHERE p.snapshot_id = ? ORDER BY p.page_number`,
  );
  const leftOut = database.prepare<[number, number], SetAside>(
    `SELECT place AS "index", reason, text FROM set_aside
     WHERE snapshot_id = ? AND page_number = ? AND reason IN (${LEFT_OUT}) ORDER BY place`,
  );
  const slices = database.prepare<[number], ImportedDownload['slices'][number]>(
    `SELECT slice_number AS sliceNumber, from_ms AS fromMs, to_ms AS toMs, start_date AS startDate,
       end_date AS endDate
     FROM slices WHERE snapshot_id = ? ORDER BY slice_number`,
  );
  const stored = createStoredPages(database);
  return {
    readPortable: (snapshotId: number): PortableSource => ({
      pages: pages.all(snapshotId).map(({ isDamaged, ...page }) => ({
        ...page,
        isDamaged: isDamaged === 1,
        leftOut: leftOut.all(snapshotId, page.pageNumber),
      })),
      slices: slices.all(snapshotId),
    }),
    /** The bytes of a page as received. Throws `cache.page-damaged`. */
    readPageBytes: ({ snapshotId, pageNumber }: { snapshotId: number; pageNumber: number }): Uint8Array =>
      new Uint8Array(stored.readBody(snapshotId, pageNumber)),
  };
}
