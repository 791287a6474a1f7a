import { createHash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import type { Remark, Snapshot } from '../../../common/model/cache/snapshot.ts';
import { type Announced, judgeTotals } from '../../../common/reporting/reading/read-envelope.ts';
import { readPage, type ReadPage } from '../../../common/reporting/reading/read-page.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds, type ReportKind } from '../../../common/reporting/reports.ts';
import { SECOND_MS } from '../../../common/time/durations.ts';
import type { Database } from '../../../node/open-database.ts';
import {
  describeShape,
  findOutside,
  type LearnedShape,
  type PageShape,
  watchShape,
} from '../../analysis/pages/describe-shape.ts';
import { LEFT_OUT_REASONS } from '../read/download-rows.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import { hasUnreadable } from './slice-writes.ts';
import {
  createRowDigest,
  type IncomingPage,
  type PageHead,
  type PageToStore,
  prepareInsert,
} from './insert-records.ts';
import { preparePageJudge, type JudgedPage } from './judge-page.ts';
import { packBody } from '../read/stored-pages.ts';
import { preparePageWrites, type WalkRow } from './page-writes.ts';

interface FreshPage extends JudgedPage {
  readonly page: PageToStore;
  readonly walk: WalkRow;
  readonly shape: PageShape;
  readonly sha256: string;
  readonly size: number;
  /** The bytes of the page, compressed. */
  readonly packed: Buffer;
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
  const { judge, noteStored, forget } = preparePageJudge(database, writes);

  const write = (snapshot: Snapshot, part: FreshPage): void => {
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
      const records = read.records.slice(knownRecords);
      insert[report](snapshot.id, firstSeq, records, digest);
      noteStored(snapshot.id, pageNumber, records);
    } else writes.insertGroups(snapshot.id, firstSeq, read.groups, digest);
    const setAside = read.setAside.filter(({ index }) => index >= knownEntries);
    for (const { index, reason, text } of setAside) digest.add({ values: [index, reason, text] });
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
    const { removedSecrets = 0 } = page;
    const remarks = listPageRemarks(snapshot, { ...part, sizeAsked, removedSecrets });
    // What a walk announces is judged by who follows.
    const total = part.followed === null ? read.totalDocument : null;
    for (const remark of [...remarks, ...departures]) {
      writes.mergeRemark(snapshot.id, remark);
    }
    if (!isDetailKind(report)) writes.forgetOneSided(snapshot.id);
    writes.updateSnapshot({
      snapshotId: snapshot.id,
      stored: rows.length,
      freshEntries: read.recordCount - knownEntries,
      pageRecords: isDetailKind(report) ? read.records.length : read.groups.length,
      pageEntries: read.recordCount,
      overlap: part.overlap,
      size,
      totalDocument: total,
      receivedAtMs: page.receivedAtMs,
      idReport: read.idReport,
      nameVisualization: read.nameVisualization,
      nextCursor: head.nextCursor,
    });
  };

  /** The head of a page that is stored already; throws for one that is out of order. */
  const findStored = (walk: WalkRow | null, page: PageToStore, sha256: string): PageHead => {
    const { snapshotId, cursorSent } = page;
    const stored = walk === null ? null : writes.findPage(snapshotId, walk.walkNumber, cursorSent, sha256);
    if (stored === null) {
      throw new AppError('app.invalid-input', 'The page is out of order.', { snapshotId });
    }
    return { ...stored, nextCursor: walk?.nextCursor ?? null, end: null };
  };

  /** Reads, judges and stores a page; what it is compared with can't change meanwhile. */
  const store = database.transaction(
    (page: PageToStore, body: Uint8Array, onHead: (head: PageHead) => void): (() => void) => {
      const snapshot = snapshots.get(page.snapshotId);
      const walk = writes.readWalk(page.snapshotId);
      const sha256 = createHash('sha256').update(body).digest('hex');
      // A half character of a cursor is stored as a replacement character.
      if (walk?.nextCursor !== page.cursorSent.toWellFormed()) {
        onHead(findStored(walk, page, sha256));
        return () => undefined;
      }
      const { report } = snapshot;
      let entries: readonly unknown[] = [];
      const whole = readPage(body, { report, zone: page.zone, onEntries: (found) => (entries = found) });
      const judged = judge(snapshot, walk, page, whole);
      onHead(judged.head);
      const { nextCursor } = judged.head;
      write(snapshot, {
        ...judged,
        page,
        walk,
        shape: describeShape({ report, entries, nextCursor, sizeAsked: page.sizeAsked ?? null }),
        sha256,
        size: body.byteLength,
        packed: packBody(body),
      });
      const { cursorSent } = page;
      return () => judged.followed?.note({ cursorSent, read: whole, goesOn: nextCursor !== null });
    },
  );

  return ({ page, bytes }, onHead) => {
    try {
      const noteStored = store.immediate(page, new Uint8Array(bytes), onHead);
      noteStored();
      return snapshots.get(page.snapshotId);
    } catch (error) {
      // What judging it took from memory is not stored; it is read from the journal again.
      forget(page.snapshotId);
      throw error;
    }
  };
}

/**
 * Keeps what the reports of each connection look like. Each page is compared with it, and adds to it; returns
 * what differs. To be called in the transaction that stores the page.
 */
function prepareShapeWatch(
  database: Database,
): (connectionId: string, report: ReportKind, page: PageShape) => readonly Remark[] {
  const read = database
    .prepare<[string, ReportKind], string>(
      'SELECT shape FROM report_shapes WHERE connection_id = ? AND report = ?',
    )
    .pluck();
  const write = database.prepare(
    `INSERT INTO report_shapes (connection_id, report, shape) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET shape = excluded.shape`,
  );
  return (connectionId, report, page) => {
    const text = read.get(connectionId, report);
    const known = text === undefined ? null : (JSON.parse(text) as LearnedShape);
    const { learned, departures } = watchShape(known, page);
    write.run(connectionId, report, JSON.stringify(learned));
    return departures;
  };
}

interface RemarkedPage {
  readonly walk: WalkRow;
  readonly read: ReadPage;
  /** Why the walk ends with it; null while it goes on. */
  readonly head: { readonly end: string | null };
  readonly sizeAsked: number;
  readonly removedSecrets: number;
  readonly knownEntries: number;
  readonly isRepeat: boolean;
  /** What the walk's pages announced, this one included. */
  readonly announced: () => Announced;
  /** Records at the page's beginning that are the end of the page before. */
  readonly overlap: number;
  /** Of a followed day: its walks overlap, and who follows judges what they announce. */
  readonly followed: object | null;
}

/** Services that cut an answer short do so at a round number of records. */
const ROUND = 10;
const MIN_OVERLAPPING_PAGES = 2;

/** What was tolerated in the page itself, and what only shows between pages (decisions 8 and 10). */
function listPageRemarks(snapshot: Snapshot, page: RemarkedPage): Remark[] {
  const { walk, read, head, knownEntries, isRepeat, sizeAsked } = page;
  const isKnown = knownEntries > 0 && knownEntries === read.recordCount;
  const asked =
    page.followed === null
      ? snapshot.period
      : { ...snapshot.period, fromMs: walk.sliceFromMs - SECOND_MS, toMs: walk.sliceToMs - SECOND_MS };
  const remarks = isKnown ? [] : [...read.remarks, ...findOutside(read.records, asked)];
  if (page.removedSecrets > 0) remarks.push({ code: 'secrets-removed', count: page.removedSecrets });
  if (page.followed !== null) return remarks;
  for (const code of Object.values(LEFT_OUT_REASONS)) {
    const count = read.setAside.filter(
      ({ index, reason }) => reason === code && index >= knownEntries,
    ).length;
    if (count > 0 && !isRepeat) remarks.push({ code, count });
  }
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
  if (head.end === null) {
    // Where all announced records have come, the next page is only asked for to see the end.
    if (read.recordCount < sizeAsked && walk.walkEntryCount + read.recordCount !== total) {
      remarks.push({ code: 'short-page', count: 1, detail: `${read.recordCount} / ${sizeAsked}` });
    }
    return remarks;
  }
  const announced = page.announced();
  if (isPerhapsCut(snapshot, page, announced)) remarks.push({ code: 'end-not-stated', count: 1 });
  const received = walk.walkEntryCount + (isRepeat ? 0 : read.recordCount);
  const overlap = isRepeat ? walk.walkOverlapRecords : walk.walkOverlapRecords + page.overlap;
  if (isOverlapping(received, announced, overlap, isAlwaysOverlapping(page))) {
    remarks.push({ code: 'pages-overlap', count: overlap });
  }
  return [...remarks, ...judgeTotals(received, announced).remarks];
}

/** Exactly as many too much came as pages began with the end of the one before, or all of them did. */
function isOverlapping(
  received: number,
  { last, largest }: Announced,
  overlap: number,
  isAlways: boolean,
): boolean {
  if (overlap === 0) return false;
  if (last === null || largest === null) return isAlways;
  return received > largest && received - largest === overlap;
}

/** True where every page of the walk after its first began with the end of the one before, and there were several. */
function isAlwaysOverlapping({ walk, read, overlap, isRepeat }: RemarkedPage): boolean {
  const isCounted = !isRepeat && read.records.length > 0;
  const pages = walk.walkPageCount + (isCounted ? 1 : 0);
  const overlapping = walk.walkOverlapPages + (isCounted && overlap > 0 ? 1 : 0);
  return overlapping >= MIN_OVERLAPPING_PAGES && overlapping === pages - 1;
}

/** One page with neither a total nor a cursor, and as long as a cut one: nothing says that this is all. */
function isPerhapsCut(snapshot: Snapshot, page: RemarkedPage, { last }: Announced): boolean {
  const { walk, read, sizeAsked } = page;
  const { recordCount } = read;
  if (walk.walkEntryCount > 0 || last !== null || read.hasCursorField || recordCount === 0) return false;
  return recordCount === sizeAsked || (isDetailKind(snapshot.report) && recordCount % ROUND === 0);
}
