import { AppError } from '../../../common/contract/errors.ts';
import {
  hasChanged,
  type Remark,
  type Snapshot,
  type SnapshotReading,
} from '../../../common/model/cache/snapshot.ts';
import type { Period } from '../../../common/model/period.ts';
import type { ReadPage } from '../../../common/reporting/reading/read-page.ts';
import { NOTE_BITS } from '../../../common/reporting/reading/read-record.ts';
import { isDetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { findOutside } from '../../analysis/pages/describe-shape.ts';
import type { CallContext } from '../../calls/calls.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import {
  addChange,
  createReadingChange,
  toReadingCounts,
  preparePageReading,
  type ReadingChange,
  type StoredPage,
} from './page-reading.ts';
import { preparePageWrites } from '../write/page-writes.ts';
import { preparePageReplacement } from './replace-pages.ts';

export interface WantedReading {
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
