import { AppError } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { toRecordId } from '../../../common/model/records/record.ts';
import {
  type Announced,
  hasAllAnnounced,
  judgeEnd,
  sumUpAnnounced,
} from '../../../common/reporting/reading/read-envelope.ts';
import type { ReadPage } from '../../../common/reporting/reading/read-page.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES, selectValues, toStoredDate } from '../read/record-tables.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import { createStoredPages, type StoredPages } from '../read/stored-pages.ts';
import { createFollowedWalks, type FollowedWalk, prepareSliceWrites } from './slice-writes.ts';
import { type PageHead, type PageToStore, toDigested } from './insert-records.ts';
import { leaveOut, prepareLeavingOut } from './left-out.ts';
import { preparePageWrites, type PageWrites, type WalkRow } from './page-writes.ts';

/** What a page brings that its snapshot does not hold yet, and how the walk goes on after it. */
export interface JudgedPage {
  /** The page, without what another slice or walk has of it. */
  readonly read: ReadPage;
  readonly head: PageHead;
  /** Entries of the page that an earlier walk stored, and how many records they are. */
  readonly knownEntries: number;
  readonly knownRecords: number;
  /** Records at its beginning that are the end of the page before. */
  readonly overlap: number;
  /** The service returned an earlier page once more, under another cursor. */
  readonly isRepeat: boolean;
  /** What the walk's pages announced, this one included. */
  readonly announced: () => Announced;
  /** Of a followed day. */
  readonly followed: FollowedWalk | null;
}

interface PageJudge {
  /**
   * Judges the page that follows on a walk. Throws `downloads.changed-meanwhile` when what an earlier walk stored now
   * reads otherwise.
   */
  judge(snapshot: Snapshot, walk: WalkRow, page: PageToStore, whole: ReadPage): JudgedPage;
  /** Keeps in mind what the next slice may bring again of a page that is stored now. */
  noteStored(snapshotId: number, pageNumber: number, records: readonly DetailRecord[]): void;
  /** Drops what is remembered of a snapshot: the page that was judged last is not stored. */
  forget(snapshotId: number): void;
}

/** Prepares the judging of pages before they are stored. */
export function preparePageJudge(
  database: Database,
  writes: Pick<PageWrites, 'wasEmpty' | 'wasSeen'>,
): PageJudge {
  const pages = createStoredPages(database);
  const isStored = mapKinds(DETAIL_KINDS, (kind) => prepareComparison(database, pages, kind));
  const repeats = prepareRepeatWatch(database, isStored);
  const readAnnounced = prepareAnnounced(database);
  const { findLeftOut, noteStored, forget: forgetDoubles } = prepareLeavingOut(database, pages);
  const { openFollowed, forget: forgetFollowed } = createFollowedWalks();

  const countKnown = (
    snapshot: Snapshot,
    walk: WalkRow,
    read: ReadPage,
  ): Pick<JudgedPage, 'knownEntries' | 'knownRecords'> => {
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

  /** Whether a page came before in its walk, which remembers it otherwise; and else how far it overlaps the one before. */
  const watch = (
    snapshot: Snapshot,
    walk: WalkRow,
    { records }: ReadPage,
    hadAll: () => boolean,
  ): Pick<JudgedPage, 'isRepeat' | 'overlap'> => {
    const { report } = snapshot;
    if (!isDetailKind(report)) return { isRepeat: false, overlap: 0 };
    const { sliceFirstSeq } = walk;
    const firstSeq = sliceFirstSeq + walk.walkRecordCount;
    const page = { snapshot, firstSeq, sliceFirstSeq, records, hadAll };
    if (repeats.isRepeated(report, page)) return { isRepeat: true, overlap: 0 };
    return { isRepeat: false, overlap: repeats.countOverlap(report, page) };
  };

  const judge: PageJudge['judge'] = (snapshot, walk, { cursorSent }, whole) => {
    const followed = snapshot.settledToMs === undefined ? null : openFollowed(snapshot.id, walk, cursorSent);
    const { recordCount, totalDocument, lastDocument } = whole;
    const announced = (): Announced =>
      followed?.announced(totalDocument) ?? readAnnounced(snapshot.id, walk.walkNumber, totalDocument);
    const hadAll = (): boolean => hasAllAnnounced(walk.walkEntryCount, announced());
    const isAgain = followed?.isRepeated(whole, hadAll) ?? false;
    const read = isAgain ? whole : leaveOut(whole, findLeftOut(snapshot, walk, whole));
    const { isRepeat, overlap } =
      followed === null ? watch(snapshot, walk, read, hadAll) : { isRepeat: isAgain, overlap: 0 };
    if (isRepeat) {
      const end = hadAll() ? ('total-reached' as const) : ('cursor-repeated' as const);
      const head = { recordCount, totalDocument, nextCursor: null, end };
      const known = { knownEntries: recordCount, knownRecords: read.records.length };
      return { read, head, ...known, overlap, isRepeat, announced, followed };
    }
    const known = countKnown(snapshot, walk, read);
    const end = judgeEnd({
      recordCount,
      lastDocument,
      cursorSent,
      isAfterEmpty: followed?.wasEmpty() ?? writes.wasEmpty(snapshot.id, walk.walkNumber),
      seenCursors: (cursor) =>
        followed?.wasSeen(cursor.toWellFormed()) ??
        writes.wasSeen(snapshot.id, walk.walkNumber, cursor.toWellFormed()),
      hasAll: () => hasAllAnnounced(walk.walkEntryCount + recordCount, announced()),
    });
    const head = { recordCount, totalDocument, ...end };
    return { read, head, ...known, overlap, isRepeat, announced, followed };
  };

  return {
    judge,
    noteStored,
    forget(snapshotId) {
      repeats.forget(snapshotId);
      forgetDoubles(snapshotId);
      forgetFollowed(snapshotId);
    },
  };
}

/**
 * Prepares the comparison of received records with those that lie in a snapshot from a place on. True when
 * every field of every record is the same, in the same order. What is computed of a field is left out.
 */
function prepareComparison(
  database: Database,
  pages: StoredPages,
  kind: DetailKind,
): (snapshot: Snapshot, firstSeq: number, records: readonly DetailRecord[]) => boolean {
  const table = RECORD_TABLES[kind];
  const names = table.columns.map(({ name }) => name);
  const select = database
    .prepare<[number, number], readonly unknown[]>(
      `${selectValues(kind)} WHERE r.record_id >= ? AND r.record_id < ? ORDER BY r.record_id`,
    )
    .raw();
  const isSame = (stored: readonly unknown[], record: DetailRecord): boolean =>
    names.every((name, place) => {
      const value = record[name];
      // A half character is written as a replacement character.
      const written = typeof value === 'string' ? value.toWellFormed() : value;
      return name === 'dateMs' || written === stored[place];
    });
  return ({ id }, firstSeq, records) => {
    const from = toRecordId(id, firstSeq);
    let place = 0;
    for (const stored of select.iterate(from, from + records.length)) {
      const record = records[place];
      if (record === undefined || !isSame(stored, record)) return false;
      place += 1;
    }
    if (place !== records.length) return false;
    // Pages are opened only where all else is the same, which is rare.
    const texts = pages.readTextsOf(records.map((_record, index) => from + index));
    return records.every((record, index) => {
      const known = texts[index] ?? record;
      const { texts: values } = toDigested(table, [], known);
      return toDigested(table, [], record).texts.every((value, at) => value === values[at]);
    });
  };
}

/** Compares records with those that lie in a snapshot from a place on. */
type IsStored = (snapshot: Snapshot, firstSeq: number, records: readonly DetailRecord[]) => boolean;
type StoredDate = ReturnType<typeof toStoredDate>;
interface FirstRecord extends Pick<DetailRecord, 'dateMs' | 'sessionId' | 'client'> {
  readonly storedDate: StoredDate;
}

interface PageOfWalk {
  readonly snapshot: Snapshot;
  /** Place that the page's first record has in the snapshot. */
  readonly firstSeq: number;
  /** Where the records of its slice begin; none before come again, but for those at the cut. */
  readonly sliceFirstSeq: number;
  readonly records: readonly DetailRecord[];
  /** As many entries as announced had come before this page. */
  readonly hadAll: () => boolean;
}

interface RepeatWatch {
  /** True for a page that came before; every other one is remembered. */
  isRepeated(kind: DetailKind, page: PageOfWalk): boolean;
  /** How many records at the page's beginning are the end of the page before in its walk. */
  countOverlap(kind: DetailKind, page: PageOfWalk): number;
  /** Drops what is remembered of a snapshot: a page of it was not stored after all. */
  forget(snapshotId: number): void;
}

/** Where pages of a snapshot begin, by their first records. */
type Starts = Map<string, number[]>;

/** Shorter pages may be alike by chance. */
const MIN_REPEATED_RECORDS = 10;
/** A service may well hold some records that are equal in everything, but hardly so many in a row of pages. */
const MIN_EQUAL_PAGES = 100;
/** Walks whose pages are kept in mind; more than ever run at once. */
const MAX_WALKS = 8;
/** Pages hardly overlap by more records than this. */
const MAX_OVERLAP = 200;

/**
 * Recognises a page that came before (decision 8): a service that ignores its cursors, or begins again at the end,
 * gives the same records without end. A few records count as repeated only once all announced ones have come, or when
 * they come a third time; records that are all equal, which decision 26 counts one by one, much later. What pages
 * merely overlap by is counted: two records may well be equal.
 */
function prepareRepeatWatch(
  database: Database,
  isStored: Readonly<Record<DetailKind, IsStored>>,
): RepeatWatch {
  const listFirst = mapKinds(DETAIL_KINDS, (kind) =>
    database.prepare<[number, number], FirstRecord & { readonly firstSeq: number }>(
      `SELECT p.first_seq AS firstSeq, r.date_text AS storedDate, r.date_ms AS dateMs, r.session_id AS sessionId, r.client
       FROM pages AS p JOIN ${RECORD_TABLES[kind].name} AS r ON r.record_id = ? + p.first_seq
       WHERE p.snapshot_id = ? AND p.record_count > 0`,
    ),
  );
  const findAlike = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number, StoredDate, number | null, string, string], number>(
        `SELECT record_id FROM ${RECORD_TABLES[kind].name}
         WHERE record_id >= ? AND record_id < ? AND date_text IS ? AND date_ms IS ?
           AND session_id = ? AND client = ?
         ORDER BY record_id LIMIT 1`,
      )
      .pluck(),
  );
  const walks = new Map<number, Starts>();

  const readStarts = (kind: DetailKind, snapshot: Snapshot): Starts => {
    const known = walks.get(snapshot.id);
    if (known !== undefined && snapshot.pageCount > 0) return known;
    const starts: Starts = new Map();
    const rows = snapshot.pageCount === 0 ? [] : listFirst[kind].all(toRecordId(snapshot.id, 0), snapshot.id);
    for (const row of rows) addTo(starts, toKey(row), row.firstSeq);
    walks.delete(snapshot.id);
    walks.set(snapshot.id, starts);
    for (const [oldest] of walks) if (walks.size > MAX_WALKS) walks.delete(oldest);
    return starts;
  };
  const countOverlap: RepeatWatch['countOverlap'] = (
    kind,
    { snapshot, firstSeq, sliceFirstSeq, records },
  ) => {
    const [first] = records;
    if (first === undefined || firstSeq <= sliceFirstSeq) return 0;
    const from = toRecordId(snapshot.id, Math.max(sliceFirstSeq, firstSeq - MAX_OVERLAP));
    const end = toRecordId(snapshot.id, firstSeq);
    const { storedDate, dateMs, sessionId, client } = toFirst(first);
    const found = findAlike[kind].get(from, end, storedDate, dateMs, sessionId, client);
    const count = found === undefined ? 0 : end - found;
    const isSame = count > 0 && count < records.length;
    return isSame && isStored[kind](snapshot, firstSeq - count, records.slice(0, count)) ? count : 0;
  };

  return {
    isRepeated(kind, page) {
      const { snapshot, firstSeq, sliceFirstSeq, records, hadAll } = page;
      const starts = readStarts(kind, snapshot);
      const [first] = records;
      if (first === undefined) return false;
      const key = toKey(toFirst(first));
      let matches = 0;
      for (const place of starts.get(key) ?? []) {
        if (place >= firstSeq) continue;
        const part = records.slice(0, firstSeq - place);
        if (!isStored[kind](snapshot, place, part)) continue;
        matches += 1;
        if (part.length >= MIN_REPEATED_RECORDS || (matches > 1 && isVaried(part))) return true;
        if (matches >= MIN_EQUAL_PAGES) return true;
        if (place < sliceFirstSeq || hadAll()) return true;
      }
      const tail = firstSeq - records.length;
      if (tail >= 0 && hadAll() && isStored[kind](snapshot, tail, records)) return true;
      addTo(starts, key, firstSeq);
      return false;
    },
    countOverlap,
    forget: (snapshotId) => void walks.delete(snapshotId),
  };
}

function toFirst({ dateText, dateMs, sessionId, client }: DetailRecord): FirstRecord {
  return { storedDate: toStoredDate(dateText, dateMs), dateMs, sessionId, client };
}

function isVaried([first, ...others]: readonly DetailRecord[]): boolean {
  const text = JSON.stringify(first);
  return others.some((other) => JSON.stringify(other) !== text);
}

function toKey({ storedDate, dateMs, sessionId, client }: FirstRecord): string {
  return [storedDate, dateMs, sessionId, client].join('\n').toWellFormed();
}

function addTo(starts: Map<string, number[]>, key: string, place: number): void {
  const places = starts.get(key);
  if (places === undefined) starts.set(key, [place]);
  else if (!places.includes(place)) places.push(place);
}

/** The service signalled the end of a walk with something that is no page, such as status 404. */
interface WalkEnd {
  readonly snapshotId: number;
  /** What came instead of a page. */
  readonly signal: string;
}

/** Prepares the reading of what a walk's pages announced, and `newest` after them. */
function prepareAnnounced(
  database: Database,
): (snapshotId: number, walkNumber: number, newest?: number | null) => Announced {
  const totals = database
    .prepare<[number, number], number | null>(
      'SELECT total_document FROM pages WHERE snapshot_id = ? AND walk_number = ? ORDER BY page_number',
    )
    .pluck();
  return (snapshotId, walkNumber, newest = null) =>
    sumUpAnnounced([...totals.all(snapshotId, walkNumber), newest]);
}

/**
 * Prepares the end of a walk without a last page (decision 8): it is one only where exactly as many entries as
 * announced have come. Null otherwise, and nothing is changed.
 */
export function prepareWalkEnd(
  database: Database,
  snapshots: SnapshotReader,
): (end: WalkEnd) => Snapshot | null {
  const { readWalk, mergeRemark } = preparePageWrites(database);
  const readAnnounced = prepareAnnounced(database);
  const { end } = prepareSliceWrites(database);
  const write = database.transaction(({ snapshotId, signal }: WalkEnd): Snapshot | null => {
    const walk = readWalk(snapshotId);
    if (walk === null || walk.nextCursor === null || walk.walkEntryCount === 0) return null;
    if (!hasAllAnnounced(walk.walkEntryCount, readAnnounced(snapshotId, walk.walkNumber))) return null;
    end(snapshotId);
    mergeRemark(snapshotId, { code: 'ended-without-page', count: 1, detail: signal });
    return snapshots.get(snapshotId);
  });
  return (input) => write.immediate(input);
}
