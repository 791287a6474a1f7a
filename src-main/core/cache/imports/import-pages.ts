import { createHash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import type { Remark } from '../../../common/model/cache/snapshot.ts';
import { readPage, type SetAside } from '../../../common/reporting/reading/read-page.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds, type ReportKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { prepareInsert } from '../write/insert-records.ts';
import { leaveOut } from '../write/left-out.ts';
import { packBody } from '../read/stored-pages.ts';
import { preparePageWrites, type NewPage } from '../write/page-writes.ts';
import { createRowDigest } from '../write/record-digest.ts';

/** Hides a snapshot while it is being imported; the next start deletes one that a crash left so. */
export const BEING_IMPORTED = 4;

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

export interface IncomingImport {
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
export function prepareImportedPages(database: Database): (input: IncomingImport) => StoredImport {
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
    for (const { index, reason, text } of setAside) digest.add([index, reason, text]);
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
