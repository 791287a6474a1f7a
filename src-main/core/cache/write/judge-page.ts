import { AppError } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { hasAllAnnounced, type Announced } from '../../../common/reporting/reading/judge-totals.ts';
import { judgeEnd } from '../../../common/reporting/reading/next-cursor.ts';
import type { ReadPage } from '../../../common/reporting/reading/read-page.ts';
import { DETAIL_KINDS, type DetailKind, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { createFollowedWalks, type FollowedWalk } from '../following/followed-walks.ts';
import { createStoredPages, type StoredPages } from '../read/stored-pages.ts';
import type { PageHead, PageToStore } from './incoming-page.ts';
import { leaveOut, prepareLeavingOut } from './left-out.ts';
import type { PageWrites, WalkRow } from './page-writes.ts';
import { prepareRepeatWatch } from './repeated-pages.ts';
import { prepareAnnounced } from './walk-ends.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import { RECORD_TABLES, selectValues } from '../read/record-tables.ts';
import { listTextValues } from './record-digest.ts';

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

export interface PageJudge {
  /**
   * Judges the page that follows on a walk. Throws `downloads.changed-meanwhile` when what an earlier walk stored now
   * reads otherwise.
   */
  judge(snapshot: Snapshot, walk: WalkRow, page: PageToStore, whole: ReadPage): JudgedPage;
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
  const { findLeftOut, forget: forgetDoubles } = prepareLeavingOut(database, pages);
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
  const names = RECORD_TABLES[kind].columns.map(({ name }) => name);
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
      const values = listTextValues(kind, known);
      return listTextValues(kind, record).every((value, at) => value === values[at]);
    });
  };
}
