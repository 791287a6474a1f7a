import { AppError } from '../../../common/contract/errors.ts';
import {
  hasChanged,
  type Remark,
  type Snapshot,
  type SnapshotReading,
} from '../../../common/model/cache/snapshot.ts';
import type { Period } from '../../../common/model/period.ts';
import { toRecordId } from '../../../common/model/records/record.ts';
import type { ReadPage } from '../../../common/reporting/reading/read-page.ts';
import { NOTE_BITS } from '../../../common/reporting/reading/read-record.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { findOutside } from '../../analysis/pages/describe-shape.ts';
import type { CallContext } from '../../calls/calls.ts';
import { createDetailReader, toMarkKey } from '../read/read-records.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import type { PageRange } from '../read/stored-pages.ts';
import { createRowDigest, prepareInsert } from '../write/insert-records.ts';
import { preparePageWrites } from '../write/page-writes.ts';
import { prepareSliceWrites } from '../write/slice-writes.ts';
import {
  addChange,
  createReadingChange,
  type FreshPage,
  preparePageReading,
  type ReadingChange,
  type StoredPage,
  toReadingCounts,
} from './page-reading.ts';

type Owner = Pick<Snapshot, 'id' | 'report'>;

/** Pages whose number of records changes, and how many each will have. */
type NewCounts = ReadonlyMap<number, number>;

/**
 * Prepares the storing of pages that are read again. Each call is one transaction, which raises the snapshot's
 * `reading`: whoever has other values of the snapshot knows by it that they are old.
 */
export function preparePageReplacement(database: Database) {
  const writes = preparePageWrites(database);
  const insert = mapKinds(DETAIL_KINDS, (kind) => prepareInsert(database, kind));
  const rows = mapKinds(DETAIL_KINDS, (kind) => {
    const { name } = RECORD_TABLES[kind];
    return {
      remove: database.prepare(`DELETE FROM ${name} WHERE record_id >= ? AND record_id < ?`),
      move: database.prepare(`UPDATE ${name} SET record_id = ? WHERE record_id = ?`),
    };
  });
  const groups = {
    remove: database.prepare('DELETE FROM summary_groups WHERE snapshot_id = ? AND seq >= ? AND seq < ?'),
    move: database.prepare('UPDATE summary_groups SET seq = ? WHERE snapshot_id = ? AND seq = ?'),
  };
  const removeAside = database.prepare('DELETE FROM set_aside WHERE snapshot_id = ? AND page_number = ?');
  const updatePage = database.prepare(
    `UPDATE pages SET records_sha256 = ?, first_seq = ?, record_count = ?, is_damaged = 0
     WHERE snapshot_id = ? AND page_number = ?`,
  );
  const movePage = database.prepare(
    'UPDATE pages SET first_seq = ? WHERE snapshot_id = ? AND page_number = ?',
  );
  const pagesOf = database.prepare<[number], PageRange>(
    `SELECT page_number AS pageNumber, first_seq AS firstSeq, record_count AS recordCount
     FROM pages WHERE snapshot_id = ? ORDER BY page_number`,
  );
  const raise = database.prepare('UPDATE snapshots SET reading = reading + 1 WHERE snapshot_id = ?');
  const recount = database.prepare(
    `UPDATE snapshots AS s SET
       record_count = (SELECT coalesce(sum(p.record_count), 0) FROM pages AS p WHERE p.snapshot_id = s.snapshot_id)
     WHERE snapshot_id = ?`,
  );
  const slices = prepareSliceWrites(database);

  const removeRows = ({ id, report }: Owner, { firstSeq, recordCount }: PageRange): void => {
    const end = firstSeq + recordCount;
    if (isDetailKind(report)) rows[report].remove.run(toRecordId(id, firstSeq), toRecordId(id, end));
    else groups.remove.run(id, firstSeq, end);
  };
  const moveRow = ({ id, report }: Owner, from: number, to: number): void => {
    if (isDetailKind(report)) rows[report].move.run(toRecordId(id, to), toRecordId(id, from));
    else groups.move.run(to, id, from);
  };
  const insertPage = (owner: Owner, pageNumber: number, firstSeq: number, fresh: FreshPage): number => {
    const { id, report } = owner;
    const { records, groups: freshGroups, setAside, recordsSha256 } = fresh;
    if (isDetailKind(report)) insert[report](id, firstSeq, records, createRowDigest());
    else writes.insertGroups(id, firstSeq, freshGroups, createRowDigest());
    removeAside.run(id, pageNumber);
    for (const entry of setAside) writes.insertSetAside(id, pageNumber, entry);
    const count = isDetailKind(report) ? records.length : freshGroups.length;
    updatePage.run(recordsSha256, firstSeq, count, id, pageNumber);
    return count;
  };

  const moveMarks = prepareMarkMoves(database);
  const replacePage = database.transaction((snapshot: Snapshot, page: PageRange, fresh: FreshPage) => {
    moveMarks(snapshot, page, () => {
      removeRows(snapshot, page);
      insertPage(snapshot, page.pageNumber, page.firstSeq, fresh);
    });
    raise.run(snapshot.id);
  });

  const replaceAndMove = database.transaction(
    (owner: Owner, counts: NewCounts, readAgain: (pageNumber: number) => FreshPage) => {
      let nextSeq = 0;
      const moves = pagesOf.all(owner.id).map((page) => {
        const to = nextSeq;
        nextSeq += counts.get(page.pageNumber) ?? page.recordCount;
        return { page, to };
      });
      const kept = moves.filter(({ page }) => !counts.has(page.pageNumber));
      for (const { page } of moves) if (counts.has(page.pageNumber)) removeRows(owner, page);
      // Those that move up from the last on, those that move down from the first on: each finds its place vacated.
      for (const { page, to } of kept.toReversed()) {
        if (to <= page.firstSeq) continue;
        for (let at = page.recordCount - 1; at >= 0; at -= 1) moveRow(owner, page.firstSeq + at, to + at);
      }
      for (const { page, to } of kept) {
        if (to !== page.firstSeq) movePage.run(to, owner.id, page.pageNumber);
        if (to >= page.firstSeq) continue;
        for (let at = 0; at < page.recordCount; at += 1) moveRow(owner, page.firstSeq + at, to + at);
      }
      for (const { page, to } of moves) {
        const count = counts.get(page.pageNumber);
        if (count === undefined) continue;
        if (insertPage(owner, page.pageNumber, to, readAgain(page.pageNumber)) !== count) {
          throw new Error(`Page ${page.pageNumber} reads otherwise than a moment ago.`);
        }
      }
      recount.run(owner.id);
      slices.recount(owner.id);
      raise.run(owner.id);
    },
  );

  return {
    /** Stores a page that has as many records as before, in their places; marks follow their records. */
    replacePage: (snapshot: Snapshot, page: PageRange, fresh: FreshPage): void =>
      replacePage.immediate(snapshot, page, fresh),
    /**
     * Stores pages that have more or fewer records than before, and moves the records of all others to the places that
     * follow from that. Nothing else can be written meanwhile: of a million records the moving takes seconds.
     */
    replaceAndMove: (owner: Owner, counts: NewCounts, readAgain: (pageNumber: number) => FreshPage): void =>
      replaceAndMove.immediate(owner, counts, readAgain),
  };
}

/**
 * Prepares the replacement of a page's records, as many as before in their places, so that marks follow what their
 * records become: a mark is found by what its record holds.
 */
function prepareMarkMoves(
  database: Database,
): (snapshot: Snapshot, page: PageRange, replace: () => void) => void {
  const readDetail = createDetailReader(database);
  const candidates = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number, number, string], number>(
        `SELECT r.record_id - ? FROM ${RECORD_TABLES[kind].name} AS r WHERE r.record_id >= ? AND r.record_id < ?
           AND EXISTS (SELECT 1 FROM record_marks AS m
             WHERE m.connection_id = ? AND m.report = '${kind}' AND m.session_id = r.session_id)`,
      )
      .pluck(),
  );
  const move = database.prepare(
    `UPDATE OR REPLACE record_marks SET session_id = ?, date_text = ?, digest = ?, date_ms = ?
     WHERE connection_id = ? AND report = ? AND session_id = ? AND date_text = ? AND digest = ?`,
  );
  return (snapshot, { firstSeq, recordCount }, replace) => {
    const { id, connectionId, report } = snapshot;
    if (!isDetailKind(report)) {
      replace();
      return;
    }
    const base = toRecordId(id, 0);
    const [from, end] = [base + firstSeq, base + firstSeq + recordCount];
    const before = candidates[report]
      .all(base, from, end, connectionId)
      .map((seq) => ({ seq, key: toMarkKey(readDetail(snapshot, seq), report) }));
    replace();
    for (const { seq, key } of before) {
      const record = readDetail(snapshot, seq);
      const next = toMarkKey(record, report);
      move.run(
        ...[next.sessionId, next.dateText, next.digest, record.dateMs, connectionId, report],
        ...[key.sessionId, key.dateText, key.digest],
      );
    }
  };
}

interface WantedReading {
  readonly snapshotId: number;
  readonly atMs: number;
  /** What the snapshot asked for, as the service's zone of today has it: dates without a zone are in it too. */
  readonly period: Period;
  readonly stillOpen: boolean;
}

/** What the reading of records remarks: counted anew where every page is read. */
const RECORD_REMARKS = [...Object.keys(NOTE_BITS), 'record-unreadable', 'dates-outside-period'];

/** How far a run has come. */
interface Done {
  readonly sum: ReadingChange;
  /** What changed in the pages that come last, and how many records each of them has now. */
  readonly moving: ReadingChange;
  readonly counts: Map<number, number>;
  readonly remarks: Map<string, Remark>;
  hasGaps: boolean;
  pageCount: number;
  changedPages: number;
  unreadPages: number;
  leftPages: number;
}

/**
 * Prepares the reading of a snapshot's stored pages with today's reader: where it reads something else, the rows of a
 * page are replaced in one transaction. Pages with more or fewer records than before come last, all of them in one, since
 * all records after them move; only in a complete snapshot, since a download that goes on counts on their places. Period
 * and remarks follow when all is read. A run that ended early leaves each page old or new, and the next one goes on.
 * Returns null for a snapshot that is being downloaded or followed; what was done by then stays. Reports records read as progress.
 */
export function createPageRereader(
  database: Database,
  snapshots: SnapshotReader,
  afterWrite: () => void,
): (wanted: WantedReading, context: CallContext<number>) => Promise<SnapshotReading | null> {
  const reader = preparePageReading(database);
  const replacement = preparePageReplacement(database);
  const { mergeRemark } = preparePageWrites(database);
  const pageAt = database.prepare<[number, number], StoredPage>(
    `SELECT page_number AS pageNumber, first_seq AS firstSeq, record_count AS recordCount, entry_count AS entryCount,
       known_entries AS knownEntries, sha256, records_sha256 AS recordsSha256
     FROM pages WHERE snapshot_id = ? AND page_number = ?`,
  );
  const saveReading = database.prepare('UPDATE snapshots SET last_reading = ? WHERE snapshot_id = ?');
  const savePeriod = database.prepare(
    'UPDATE snapshots SET from_ms = ?, to_ms = ?, zone = ?, still_open = ? WHERE snapshot_id = ?',
  );
  const forgetRemark = database.prepare('DELETE FROM remarks WHERE snapshot_id = ? AND code = ?');

  const finish = database.transaction(
    (snapshot: Snapshot, wanted: WantedReading, reading: SnapshotReading, remarks: Iterable<Remark>) => {
      const { period, stillOpen } = wanted;
      const { isPartial, unreadPages, leftPages } = reading;
      // The period stays with the dates of records that could not be read again.
      const isWhole = !isPartial && leftPages === 0;
      if (isWhole) savePeriod.run(period.fromMs, period.toMs, period.zone, Number(stillOpen), snapshot.id);
      if (isWhole && unreadPages === 0 && hasChanged(reading)) {
        for (const code of RECORD_REMARKS) forgetRemark.run(snapshot.id, code);
        for (const remark of remarks) mergeRemark(snapshot.id, remark);
      }
      saveReading.run(JSON.stringify(reading), snapshot.id);
    },
  );

  const readOne = (snapshot: Snapshot, page: StoredPage, period: Period, done: Done): void => {
    const reading = reader.compare(snapshot, page, period.zone);
    if (reading.state === 'damaged') done.unreadPages += 1;
    else if (reading.state === 'other-entries') done.leftPages += 1;
    if (reading.state !== 'read') return;
    const { read, fresh, change, isChanged } = reading;
    const count = isDetailKind(snapshot.report) ? fresh.records.length : fresh.groups.length;
    if (count !== page.recordCount && snapshot.state !== 'complete') {
      done.leftPages += 1;
      return;
    }
    addRemarks(done.remarks, page, read, period);
    if (!isChanged) return;
    if (count !== page.recordCount) {
      done.counts.set(page.pageNumber, count);
      addChange(done.moving, change);
      return;
    }
    replacement.replacePage(snapshot, page, fresh);
    addChange(done.sum, change);
    done.changedPages += 1;
    afterWrite();
  };
  const moveRecords = (snapshot: Snapshot, { zone }: Period, done: Done): void => {
    // Their new places are not known where others have none.
    if (done.hasGaps) done.leftPages += done.counts.size;
    if (done.hasGaps || done.counts.size === 0) return;
    replacement.replaceAndMove(snapshot, done.counts, (pageNumber) => {
      const page = pageAt.get(snapshot.id, pageNumber);
      if (page === undefined) throw new Error(`Page ${pageNumber} is gone.`);
      return reader.read(snapshot, page, zone);
    });
    addChange(done.sum, done.moving);
    done.changedPages += done.counts.size;
    afterWrite();
  };

  return async (wanted, { pause, progress }) => {
    const { snapshotId, atMs, period } = wanted;
    const before = snapshots.get(snapshotId);
    if (isUnderWay(before)) return null;
    const done = createDone();
    const save = (isPartial: boolean): SnapshotReading => {
      const { sum, pageCount, changedPages, unreadPages, leftPages } = done;
      const zones = { zone: period.zone, zoneBefore: before.period.zone };
      const pages = { pageCount, changedPages, unreadPages, leftPages };
      const reading = { atMs, ...zones, isPartial, ...pages, ...toReadingCounts(sum) };
      finish.immediate(before, wanted, reading, done.remarks.values());
      return reading;
    };
    try {
      let expectedSeq = 0;
      for (; done.pageCount < before.pageCount; done.pageCount += 1) {
        // Its download may have been resumed meanwhile.
        const snapshot = snapshots.get(snapshotId);
        if (isUnderWay(snapshot)) return null;
        const page = pageAt.get(snapshotId, done.pageCount);
        // As in a verification: pages whose places do not follow one another count as damaged.
        if (page?.firstSeq !== expectedSeq) {
          done.hasGaps = true;
          done.unreadPages += 1;
        } else readOne(snapshot, page, period, done);
        expectedSeq = page === undefined ? expectedSeq : page.firstSeq + page.recordCount;
        progress(Math.min(expectedSeq, before.recordCount));
        await pause();
      }
      const snapshot = snapshots.get(snapshotId);
      if (isUnderWay(snapshot)) return null;
      moveRecords(snapshot, period, done);
      return save(false);
    } catch (error) {
      if (error instanceof AppError && error.code === 'app.cancelled') save(true);
      throw error;
    }
  };
}

/** True for a snapshot whose records are still coming, also those of a followed day. */
function isUnderWay({ state, stillOpen, settledToMs }: Snapshot): boolean {
  return state === 'downloading' || (stillOpen && settledToMs !== undefined);
}

function createDone(): Done {
  return {
    sum: createReadingChange(),
    moving: createReadingChange(),
    counts: new Map(),
    remarks: new Map(),
    hasGaps: false,
    pageCount: 0,
    changedPages: 0,
    unreadPages: 0,
    leftPages: 0,
  };
}

/** Adds what the page would be remarked for if it were stored now. */
function addRemarks(sum: Map<string, Remark>, page: StoredPage, read: ReadPage, period: Period): void {
  if (page.knownEntries > 0 && page.knownEntries === page.entryCount) return;
  for (const { code, count, detail } of [...read.remarks, ...findOutside(read.records, period)]) {
    if (!RECORD_REMARKS.includes(code)) continue;
    const known = sum.get(code);
    const newest = detail ?? known?.detail;
    sum.set(code, {
      code,
      count: (known?.count ?? 0) + (count ?? 0),
      ...(newest === undefined ? {} : { detail: newest }),
    });
  }
}
