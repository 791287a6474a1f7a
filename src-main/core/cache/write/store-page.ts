import { createHash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { hasAllAnnounced, type Announced } from '../../../common/reporting/reading/judge-totals.ts';
import { judgeEnd } from '../../../common/reporting/reading/next-cursor.ts';
import { readPage, type ReadPage } from '../../../common/reporting/reading/read-page.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import { describeShape, type PageShape } from '../../analysis/describe-shape.ts';
import type { Database } from '../../../node/open-database.ts';
import { hasUnreadable, prepareFollowedWalks, type FollowedWalk } from '../following/followed-walks.ts';
import { prepareComparison } from './download-compare.ts';
import { prepareInsert } from './insert-records.ts';
import { leaveOut, prepareLeavingOut } from './left-out.ts';
import { preparePageWrites, type WalkRow } from './page-writes.ts';
import { packBody } from './page-body.ts';
import { listPageRemarks } from './page-remarks.ts';
import { createRowDigest } from './record-digest.ts';
import { prepareRepeatWatch } from './repeated-pages.ts';
import { prepareShapeWatch } from './report-shapes.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import { createStoredPages } from '../read/stored-pages.ts';
import { prepareAnnounced } from './walk-ends.ts';

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
  /** Places from which a secret was removed that the service sent back: the page is kept without it. */
  readonly removedSecrets?: number;
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
  /** The service returned an earlier page once more, under another cursor. */
  readonly isRepeat: boolean;
  readonly announced: () => Announced;
  /** Of a followed day. */
  readonly followed: FollowedWalk | null;
}

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
  const repeats = prepareRepeatWatch(database, isStored);
  const readAnnounced = prepareAnnounced(database);
  const findLeftOut = prepareLeavingOut(database, pages);
  const openFollowed = prepareFollowedWalks(database, pages);

  const write = database.transaction((snapshot: Snapshot, part: FreshPart) => {
    const { page, walk, read, head, sha256, size, knownEntries, knownRecords } = part;
    const { report, pageCount: pageNumber } = snapshot;
    const firstSeq = snapshot.recordCount;
    const rows = isDetailKind(report) ? read.records.slice(knownRecords) : read.groups;
    if (part.followed !== null && rows.length === 0 && !hasUnreadable(read)) {
      const { recordCount: entries } = read;
      writes.passPage({ snapshotId: snapshot.id, entries, nextCursor: head.nextCursor });
      return;
    }
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
    const sizeAsked = page.sizeAsked ?? 0;
    const overlap = repeats.readOverlap(snapshot.id);
    const { removedSecrets = 0 } = page;
    const remarks = listPageRemarks(snapshot, { ...part, sizeAsked, overlap, removedSecrets });
    // What a walk announces is judged by who follows.
    const total = part.followed === null ? read.totalDocument : null;
    for (const remark of [...remarks, ...departures]) {
      writes.mergeRemark(snapshot.id, remark);
    }
    writes.updateSnapshot({
      snapshotId: snapshot.id,
      stored: rows.length,
      freshEntries: read.recordCount - knownEntries,
      pageRecords: isDetailKind(report) ? read.records.length : read.groups.length,
      pageEntries: read.recordCount,
      size,
      totalDocument: total,
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

  return ({ page, bytes }, onHead) => {
    const snapshot = snapshots.get(page.snapshotId);
    const walk = writes.readWalk(page.snapshotId);
    const body = new Uint8Array(bytes);
    const sha256 = createHash('sha256').update(body).digest('hex');
    // A half character of a cursor is stored as a replacement character.
    if (walk?.nextCursor !== page.cursorSent.toWellFormed()) {
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
    const whole = readPage(body, { report, zone: page.zone, onEntries: (found) => (entries = found) });
    const followed =
      snapshot.settledToMs === undefined ? null : openFollowed(snapshot, walk, page.cursorSent);
    const { recordCount, totalDocument, lastDocument } = whole;
    const announced = (): Announced =>
      followed?.announced(totalDocument) ?? readAnnounced(snapshot.id, walk.walkNumber, totalDocument);
    const hadAll = (): boolean => hasAllAnnounced(walk.walkEntryCount, announced());
    const firstSeq = walk.sliceFirstSeq + walk.walkRecordCount;
    const isAgain = followed?.isRepeated(whole, hadAll) ?? false;
    const toFresh = (): ReadPage =>
      followed?.takeNew(whole) ?? leaveOut(whole, findLeftOut(snapshot, walk, whole));
    const read = isAgain ? whole : toFresh();
    const { records } = read;
    const isRepeat =
      followed === null
        ? isDetailKind(report) &&
          repeats.isRepeated(report, {
            snapshot,
            firstSeq,
            sliceFirstSeq: walk.sliceFirstSeq,
            records,
            hadAll,
          })
        : isAgain;
    const known = isRepeat
      ? { knownEntries: recordCount, knownRecords: records.length }
      : countKnown(snapshot, walk, read);
    const end = isRepeat
      ? ({ nextCursor: null, end: hadAll() ? 'total-reached' : 'cursor-repeated' } as const)
      : judgeEnd({
          recordCount,
          lastDocument,
          cursorSent: page.cursorSent,
          isAfterEmpty: followed?.wasEmpty() ?? writes.wasEmpty(snapshot.id, walk.walkNumber),
          seenCursors: (cursor) =>
            followed?.wasSeen(cursor.toWellFormed()) ??
            writes.wasSeen(snapshot.id, walk.walkNumber, cursor.toWellFormed()),
          hasAll: () => hasAllAnnounced(walk.walkEntryCount + recordCount, announced()),
        });
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
      announced,
      followed,
      ...known,
    });
    followed?.note({ cursorSent: page.cursorSent, read: whole, goesOn: nextCursor !== null });
    return snapshots.get(page.snapshotId);
  };
}
