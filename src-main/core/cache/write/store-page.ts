import { createHash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import type { Remark, Snapshot } from '../../../common/model/snapshot.ts';
import { judgeEnd } from '../../../common/reporting/next-cursor.ts';
import { readPage, type ReadPage } from '../../../common/reporting/read-page.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import { describeShape, type PageShape } from '../../analysis/describe-shape.ts';
import { findOutside } from '../../analysis/find-outside.ts';
import type { Database } from '../../../node/open-database.ts';
import { prepareComparison } from './download-compare.ts';
import { prepareInsert } from './insert-records.ts';
import { preparePageWrites, type WalkRow } from './page-writes.ts';
import { packBody } from './page-body.ts';
import { createRowDigest } from './record-digest.ts';
import { prepareShapeWatch } from './report-shapes.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import { createStoredPages } from '../read/stored-pages.ts';

/** Provenance of a page, kept with it in the journal. */
export interface PageToStore {
  readonly snapshotId: number;
  readonly cursorSent: string;
  readonly requestedAtMs: number;
  readonly receivedAtMs: number;
  readonly status: number;
  /** Zone of dates that carry none. */
  readonly zone: string;
  /** Records requested, to recognise a shorter page. */
  readonly sizeAsked?: number;
}

/** What is known once a page is parsed, before it is written. */
export interface PageHead {
  readonly recordCount: number;
  readonly totalDocument: number | null;
  /** The cursor of the next page; null at the end of the report. */
  readonly nextCursor: string | null;
  /** Why the walk ends here; null while it goes on. */
  readonly end: 'empty-page' | 'no-cursor' | 'total-reached' | 'cursor-repeated' | null;
}

export interface IncomingPage {
  readonly page: PageToStore;
  readonly bytes: ArrayBuffer;
}

/** What of a page the snapshot does not hold yet. */
interface FreshPart {
  readonly page: PageToStore;
  readonly walk: WalkRow;
  readonly read: ReadPage;
  readonly shape: PageShape;
  readonly head: PageHead;
  readonly sha256: string;
  readonly size: number;
  /** The bytes of the page, compressed. */
  readonly packed: Buffer;
  /** Entries of the page that an earlier walk stored, and how many records they are. */
  readonly knownEntries: number;
  readonly knownRecords: number;
  /** The service returned the last page once more, under another cursor. */
  readonly isRepeat: boolean;
}

/** Shorter pages may be alike by chance. */
const MIN_REPEATED_RECORDS = 10;

/**
 * Prepares the storing of pages. One call reads a page, reports its head, then writes records, journal,
 * counters, remarks and next cursor in one transaction. The same page again changes nothing; a page out
 * of order throws `app.invalid-input`; one that can't be read throws `client.*`. In a walk that began again,
 * records that are there already are compared, not written; `downloads.changed-meanwhile` when they differ.
 * Nothing is written after any of these.
 */
export function createPageStore(
  database: Database,
  snapshots: SnapshotReader,
): (input: IncomingPage, onHead: (head: PageHead) => void) => Snapshot {
  const writes = preparePageWrites(database);
  const watchShape = prepareShapeWatch(database);
  const insert = mapKinds(DETAIL_KINDS, (kind) => prepareInsert(database, kind));
  const pages = createStoredPages(database);
  const isStored = mapKinds(DETAIL_KINDS, (kind) => prepareComparison(database, pages, kind));

  const write = database.transaction((snapshot: Snapshot, part: FreshPart) => {
    const { page, walk, read, head, sha256, size, knownEntries, knownRecords } = part;
    const { report, pageCount: pageNumber } = snapshot;
    const firstSeq = snapshot.recordCount;
    const rows = isDetailKind(report) ? read.records.slice(knownRecords) : read.groups;
    const digest = createRowDigest();
    if (isDetailKind(report)) {
      insert[report](snapshot.id, firstSeq, read.records.slice(knownRecords), digest);
    } else writes.insertGroups(snapshot.id, firstSeq, read.groups, digest);
    const setAside = read.setAside.filter(({ index }) => index >= knownEntries);
    for (const { index, reason, text } of setAside) digest.add([index, reason, text]);
    writes.insertPage({
      snapshotId: snapshot.id,
      pageNumber,
      cursorSent: page.cursorSent,
      cursorReceived: read.lastDocument,
      entryCount: read.recordCount,
      firstSeq,
      stored: rows.length,
      size,
      sha256,
      recordsSha256: digest.finish(),
      totalDocument: read.totalDocument,
      executionTimeMs: read.executionTimeMs,
      status: page.status,
      requestedAtMs: page.requestedAtMs,
      receivedAtMs: page.receivedAtMs,
      sliceNumber: walk.sliceNumber,
      walkNumber: walk.walkNumber,
      sizeAsked: page.sizeAsked ?? null,
      knownEntries,
    });
    writes.insertBody(snapshot.id, pageNumber, part.packed);
    for (const entry of setAside) writes.insertSetAside(snapshot.id, pageNumber, entry);
    const departures = watchShape(snapshot.connectionId, report, part.shape);
    for (const remark of [...listRemarks(snapshot, part), ...departures]) {
      writes.mergeRemark(snapshot.id, remark);
    }
    writes.updateSnapshot({
      snapshotId: snapshot.id,
      stored: rows.length,
      freshEntries: read.recordCount - knownEntries,
      pageRecords: isDetailKind(report) ? read.records.length : read.groups.length,
      pageEntries: read.recordCount,
      size,
      totalDocument: read.totalDocument,
      receivedAtMs: page.receivedAtMs,
      idReport: read.idReport,
      nameVisualization: read.nameVisualization,
      nextCursor: head.nextCursor,
    });
  });

  /** Throws `downloads.changed-meanwhile` when what an earlier walk stored now reads otherwise. */
  const countKnown = (
    snapshot: Snapshot,
    walk: WalkRow,
    read: ReadPage,
  ): Pick<FreshPart, 'knownEntries' | 'knownRecords'> => {
    const knownEntries = Math.min(read.recordCount, Math.max(0, walk.sliceEntryCount - walk.walkEntryCount));
    const knownRecords = knownEntries - read.setAside.filter(({ index }) => index < knownEntries).length;
    if (knownEntries === 0 || !isDetailKind(snapshot.report)) return { knownEntries, knownRecords };
    const known = read.records.slice(0, knownRecords);
    const firstSeq = walk.sliceFirstSeq + walk.walkRecordCount;
    if (isStored[snapshot.report](snapshot, firstSeq, known)) {
      return { knownEntries, knownRecords };
    }
    throw new AppError('downloads.changed-meanwhile', 'The service now returns other records.', {
      snapshotId: snapshot.id,
      firstSeq,
    });
  };

  /** A service that ignores cursors gives the same records without end (decision 8). */
  const isRepeated = (snapshot: Snapshot, walk: WalkRow, { records }: ReadPage): boolean => {
    if (!isDetailKind(snapshot.report)) return false;
    const last = walk.walkEntryCount === 0 ? null : writes.findLastPage(snapshot.id);
    if (last?.recordCount !== records.length || records.length < MIN_REPEATED_RECORDS) return false;
    return isStored[snapshot.report](snapshot, last.firstSeq, records);
  };

  return ({ page, bytes }, onHead) => {
    const snapshot = snapshots.get(page.snapshotId);
    const walk = writes.readWalk(page.snapshotId);
    const body = new Uint8Array(bytes);
    const sha256 = createHash('sha256').update(body).digest('hex');
    if (walk?.nextCursor !== page.cursorSent) {
      const before =
        walk === null ? null : writes.findPage(page.snapshotId, walk.walkNumber, page.cursorSent, sha256);
      if (before === null) {
        throw new AppError('app.invalid-input', 'The page is out of order.', { snapshotId: snapshot.id });
      }
      onHead({ ...before, nextCursor: walk?.nextCursor ?? null, end: null });
      return snapshot;
    }
    const { report } = snapshot;
    let entries: readonly unknown[] = [];
    const read = readPage(body, { report, zone: page.zone, onEntries: (found) => (entries = found) });
    const verdict = judgeEnd({
      recordCount: read.recordCount,
      lastDocument: read.lastDocument,
      cursorSent: page.cursorSent,
      seenCursors: (cursor) => writes.wasSeen(page.snapshotId, walk.walkNumber, cursor),
      receivedBefore: walk.walkEntryCount,
      totalDocument: read.totalDocument,
    });
    const { recordCount, totalDocument } = read;
    const isRepeat = isRepeated(snapshot, walk, read);
    const known = isRepeat
      ? { knownEntries: recordCount, knownRecords: read.records.length }
      : countKnown(snapshot, walk, read);
    const end = isRepeat ? ({ nextCursor: null, end: 'cursor-repeated' } as const) : verdict;
    const head: PageHead = { recordCount, totalDocument, ...end };
    onHead(head);
    const { nextCursor } = head;
    const shape = describeShape({ report, entries, nextCursor, sizeAsked: page.sizeAsked ?? null });
    write.immediate(snapshot, {
      page,
      walk,
      read,
      shape,
      head,
      sha256,
      size: body.byteLength,
      packed: packBody(body),
      isRepeat,
      ...known,
    });
    return snapshots.get(page.snapshotId);
  };
}

/** What was tolerated in the page itself, and what only shows between pages (decisions 8 and 10). */
function listRemarks(snapshot: Snapshot, part: FreshPart): Remark[] {
  const { page, walk, read, head, knownEntries, isRepeat } = part;
  const isKnown = knownEntries > 0 && knownEntries === read.recordCount;
  const remarks = isKnown ? [] : [...read.remarks, ...findOutside(read.records, snapshot.period)];
  const total = read.totalDocument;
  const before =
    walk.walkEntryCount === 0 || snapshot.totalDocument === null
      ? null
      : snapshot.totalDocument - walk.sliceTotalBefore;
  if (before !== null && total !== null && before !== total) {
    remarks.push({ code: 'total-changed', count: 1, detail: `${before} → ${total}` });
  }
  if (head.end === 'cursor-repeated') {
    remarks.push({ code: isRepeat ? 'page-repeated' : 'cursor-repeated', count: 1 });
  }
  const sizeAsked = page.sizeAsked ?? 0;
  if (head.end === null && read.recordCount < sizeAsked) {
    remarks.push({ code: 'short-page', count: 1, detail: `${read.recordCount} / ${sizeAsked}` });
  }
  const received = walk.walkEntryCount + read.recordCount;
  if (head.end === null || head.end === 'cursor-repeated' || total === null || total === 0) return remarks;
  if (received < total)
    remarks.push({ code: 'fewer-than-total', count: 1, detail: `${received} / ${total}` });
  if (received > total) remarks.push({ code: 'more-than-total', count: 1, detail: `${received} / ${total}` });
  return remarks;
}
