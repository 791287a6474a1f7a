import { createHash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { Period } from '../../../common/model/period.ts';
import { type Announced, sumUpAnnounced } from '../../../common/reporting/reading/read-envelope.ts';
import type { ReadPage } from '../../../common/reporting/reading/read-page.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { SECOND_MS } from '../../../common/time/durations.ts';
import type { Database } from '../../../node/open-database.ts';
import { LEFT_OUT_REASONS } from '../read/download-rows.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import { identifyAside } from './left-out.ts';
import { NEXT_FETCHED_ORDER, type WalkRow } from './page-writes.ts';

/** A part of a snapshot's time that is read by one walk over cursors. */
export interface NewSlice {
  /** What it is responsible for, [fromMs, toMs). */
  readonly fromMs: number;
  readonly toMs: number;
  /** What is asked for, as a request writes it, but for the second beyond the end (decision 5). */
  readonly startDate: string;
  readonly endDate: string;
}

/** Prepares everything that is written about slices beside pages; each call belongs into a transaction. */
export function prepareSliceWrites(database: Database) {
  const insert = database.prepare(
    `INSERT OR REPLACE INTO slices (snapshot_id, slice_number, from_ms, to_ms, start_date, end_date, first_seq,
       total_before, walk_number)
     VALUES (@snapshotId, @sliceNumber, @fromMs, @toMs, @startDate, @endDate, @firstSeq, 0, @walkNumber)`,
  );
  const clear = database.prepare('DELETE FROM slices WHERE snapshot_id = ?');
  const hasPages = database.prepare('SELECT 1 FROM pages WHERE snapshot_id = ? LIMIT 1').pluck();
  const moveOn = database
    .prepare<[number], number>(
      `UPDATE snapshots SET slice_number = slice_number + 1 WHERE snapshot_id = ?
         AND EXISTS (SELECT 1 FROM slices AS s WHERE s.snapshot_id = snapshots.snapshot_id
           AND s.slice_number = snapshots.slice_number AND s.next_cursor IS NULL)
         AND EXISTS (SELECT 1 FROM slices AS s WHERE s.snapshot_id = snapshots.snapshot_id
           AND s.slice_number = snapshots.slice_number + 1)
       RETURNING slice_number`,
    )
    .pluck();
  const begin = database.prepare(
    `UPDATE slices SET next_cursor = '', first_seq = s.record_count, total_before = coalesce(s.total_document, 0),
       walk_number = before.walk_number + 1
     FROM snapshots AS s JOIN slices AS before ON before.snapshot_id = s.snapshot_id AND before.slice_number = s.slice_number - 1
     WHERE slices.snapshot_id = ? AND s.snapshot_id = slices.snapshot_id AND slices.slice_number = s.slice_number`,
  );
  const restart = database.prepare(
    `UPDATE slices SET walk_number = walk_number + 1, walk_entry_count = 0, walk_record_count = 0,
       walk_page_count = 0, walk_overlap_pages = 0, walk_overlap_records = 0, next_cursor = ''
     WHERE snapshot_id = ? AND slice_number = (SELECT slice_number FROM snapshots AS s WHERE s.snapshot_id = slices.snapshot_id)`,
  );
  const end = database.prepare(
    `UPDATE slices SET next_cursor = NULL
     WHERE snapshot_id = ? AND slice_number = (SELECT slice_number FROM snapshots AS s WHERE s.snapshot_id = slices.snapshot_id)`,
  );
  const last = database.prepare<
    [number],
    { sliceNumber: number; walkNumber: number; recordCount: number; isEmpty: number }
  >(
    `SELECT s.slice_number AS sliceNumber, coalesce(l.walk_number, 0) AS walkNumber, s.record_count AS recordCount,
       l.snapshot_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pages AS p WHERE p.snapshot_id = s.snapshot_id
         AND p.page_number = s.page_count - 1 AND p.slice_number = s.slice_number) AS isEmpty
     FROM snapshots AS s LEFT JOIN slices AS l USING (snapshot_id, slice_number) WHERE s.snapshot_id = ?`,
  );
  const recount = database.prepare(
    `UPDATE slices AS l SET first_seq = n.before FROM (
       SELECT s.slice_number AS slice, coalesce(sum(p.records) OVER (ORDER BY s.slice_number
         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
       FROM slices AS s LEFT JOIN (SELECT slice_number, sum(record_count) AS records FROM pages
         WHERE snapshot_id = @snapshotId GROUP BY slice_number) AS p USING (slice_number)
       WHERE s.snapshot_id = @snapshotId) AS n
     WHERE l.snapshot_id = @snapshotId AND l.slice_number = n.slice`,
  );
  const point = database.prepare('UPDATE snapshots SET slice_number = ? WHERE snapshot_id = ?');

  return {
    /** Cuts a snapshot into slices, in the order in which they are to be walked; one that has pages stays as it is. */
    cut(snapshotId: number, slices: readonly NewSlice[]): void {
      if (hasPages.get(snapshotId) !== undefined) return;
      clear.run(snapshotId);
      point.run(0, snapshotId);
      for (const [sliceNumber, slice] of slices.entries()) {
        insert.run({ ...slice, snapshotId, sliceNumber, firstSeq: 0, walkNumber: 0 });
      }
    },
    /** Goes on with the next slice; nothing changes unless there is one, and the one before was read to its end. */
    beginNext(snapshotId: number): void {
      if (moveOn.get(snapshotId) !== undefined) begin.run(snapshotId);
    },
    /** Adds a slice, and goes on with it. It takes the place of the last one where that brought no page, as most of them do. */
    append(snapshotId: number, slice: NewSlice): void {
      const found = last.get(snapshotId);
      if (found === undefined) return;
      const sliceNumber = found.isEmpty === 1 ? found.sliceNumber : found.sliceNumber + 1;
      insert.run({
        ...slice,
        snapshotId,
        sliceNumber,
        firstSeq: found.recordCount,
        walkNumber: found.walkNumber + 1,
      });
      point.run(sliceNumber, snapshotId);
    },
    /** Begins the present slice's walk over cursors again. */
    restart: (snapshotId: number): void => void restart.run(snapshotId),
    /** Says that the present slice was read to its end. */
    end: (snapshotId: number): void => void end.run(snapshotId),
    /** Finds anew where the records of each slice begin, from the pages that are there. */
    recount: (snapshotId: number): void => void recount.run({ snapshotId }),
  };
}

/** A period as the slice that is responsible for it. */
export function toSlice({ startDate, endDate, fromMs, toMs }: Period): NewSlice {
  return { startDate, endDate, fromMs, toMs: toMs + SECOND_MS };
}

interface NewFollowedDay {
  readonly connectionId: string;
  readonly tenant: number;
  readonly report: DetailKind;
  /** As long as nothing: it ends before it begins. */
  readonly period: Period;
  readonly startedAtMs: number;
  readonly baseAddress: string;
  readonly reportIdentifier: string;
}
interface NewFollowedSlice extends NewSlice {
  readonly snapshotId: number;
}
interface EndedFollowedSlice {
  readonly snapshotId: number;
  readonly period: Pick<Period, 'endDate' | 'toMs'>;
  readonly settledToMs: number;
  readonly lookBackMs: number;
  readonly stillOpen: boolean;
  readonly atMs: number;
}
/** Up to where all days of a report are settled, so that none of them is fetched again once it was removed. */
interface FollowedMark {
  readonly connectionId: string;
  readonly report: DetailKind;
  readonly doneToMs: number;
}

/** Everything that following writes beside pages; each call is one transaction. */
export function createFollowingWriter(database: Database, snapshots: SnapshotReader) {
  const insert = database.prepare(
    `INSERT INTO snapshots (connection_id, tenant, report, start_date, end_date, from_ms, to_ms, zone, state,
       started_at_ms, still_open, settled_to_ms, slice_number, fetched_order)
     VALUES (@connectionId, @tenant, @report, @startDate, @endDate, @fromMs, @toMs, @zone, 'complete',
       @startedAtMs, 1, @fromMs, -1, ${NEXT_FETCHED_ORDER})`,
  );
  const insertDownload = database.prepare(
    `INSERT INTO downloads (snapshot_id, state, queued_at_ms, base_address, report_identifier)
     VALUES (?, 'ended', ?, ?, ?)`,
  );
  const slices = prepareSliceWrites(database);
  const end = database.prepare(
    `UPDATE snapshots SET end_date = @endDate, to_ms = @toMs, settled_to_ms = @settledToMs,
       settled_look_back_ms = @lookBackMs, still_open = @stillOpen, fetched_at_ms = @atMs, fetched_order = ${NEXT_FETCHED_ORDER}
     WHERE snapshot_id = @snapshotId`,
  );
  const endDownload = database.prepare('UPDATE downloads SET ended_at_ms = ? WHERE snapshot_id = ?');
  const marks = database.prepare<[string], FollowedMark>(
    `SELECT connection_id AS connectionId, report, done_to_ms AS doneToMs FROM followed_reports
     WHERE connection_id = ?`,
  );
  const keepMark = database.prepare(
    `INSERT INTO followed_reports (connection_id, report, done_to_ms) VALUES (@connectionId, @report, @doneToMs)
     ON CONFLICT DO UPDATE SET done_to_ms = excluded.done_to_ms`,
  );
  const insertDay = database.transaction(
    ({ baseAddress, reportIdentifier, period, ...more }: NewFollowedDay) => {
      const { lastInsertRowid } = insert.run({ ...more, ...period });
      insertDownload.run(lastInsertRowid, more.startedAtMs, baseAddress, reportIdentifier);
      return snapshots.get(Number(lastInsertRowid));
    },
  );
  const beginSlice = database.transaction(({ snapshotId, ...slice }: NewFollowedSlice) => {
    slices.append(snapshotId, slice);
    return snapshots.get(snapshotId);
  });
  const endSlice = database.transaction(({ period, stillOpen, ...more }: EndedFollowedSlice) => {
    const { endDate, toMs } = period;
    end.run({ ...more, endDate, toMs, stillOpen: Number(stillOpen) });
    endDownload.run(stillOpen ? null : more.atMs, more.snapshotId);
    slices.end(more.snapshotId);
    return snapshots.get(more.snapshotId);
  });
  return {
    createFollowedDay: (day: NewFollowedDay): Snapshot => insertDay.immediate(day),
    /** Begins a walk of its own: what the day holds already is told from what is new by all its fields. */
    beginFollowedSlice: (slice: NewFollowedSlice): Snapshot => beginSlice.immediate(slice),
    /** Says that a slice was read to its end. */
    endFollowedSlice: (slice: EndedFollowedSlice): Snapshot => endSlice.immediate(slice),
    listFollowedMarks: (connectionId: string): FollowedMark[] => marks.all(connectionId),
    keepFollowedMark: (mark: FollowedMark): void => void keepMark.run(mark),
  };
}

/** A walk over a part of a followed day: what it has met so far is kept in memory, since not every page is stored. */
export interface FollowedWalk {
  /** True for a page whose entries came before in this walk. */
  isRepeated(read: ReadPage, hadAll: () => boolean): boolean;
  wasSeen(cursor: string): boolean;
  wasEmpty(): boolean;
  announced(newest: number | null): Announced;
  /** Remembers a page that was taken in. */
  note(page: { readonly cursorSent: string; readonly read: ReadPage; readonly goesOn: boolean }): void;
}

/** Shorter pages may be alike by chance. */
const MIN_REPEATED_RECORDS = 10;
/** More walks than ever run at once. */
const MAX_WALKS = 16;

/** Keeps in mind the walks over parts of followed days that are under way. */
export function createFollowedWalks() {
  const walks = new Map<number, { readonly walkNumber: number; readonly walk: FollowedWalk }>();
  return {
    /** The walk that a page is of. Throws AppError `app.cancelled` in the middle of one that nothing is known of. */
    openFollowed(snapshotId: number, { walkNumber }: WalkRow, cursorSent: string): FollowedWalk {
      const underWay = walks.get(snapshotId);
      if (underWay?.walkNumber === walkNumber && cursorSent !== '') return underWay.walk;
      // What it has met so far is gone with the thread that knew it: the next slice begins anew.
      if (cursorSent !== '') throw new AppError('app.cancelled', 'The walk was interrupted.', { snapshotId });
      const walk = createWalk();
      walks.delete(snapshotId);
      walks.set(snapshotId, { walkNumber, walk });
      for (const [oldest] of walks) if (walks.size > MAX_WALKS) walks.delete(oldest);
      return walk;
    },
    /** Drops what is remembered of a walk: a page of it was not stored, so that the next slice begins anew. */
    forget: (snapshotId: number): void => void walks.delete(snapshotId),
  };
}

function createWalk(): FollowedWalk {
  const seen = new Set<string>();
  const contents = new Set<string>();
  const totals: (number | null)[] = [];
  let isEmpty = false;
  return {
    isRepeated(read, hadAll) {
      if (read.recordCount === 0 || contents.size === 0 || !contents.has(digest(read))) return false;
      return read.recordCount >= MIN_REPEATED_RECORDS || hadAll();
    },
    wasSeen: (cursor) => seen.has(cursor),
    wasEmpty: () => isEmpty,
    announced: (newest) => sumUpAnnounced([...totals, newest]),
    note({ cursorSent, read, goesOn }) {
      seen.add(cursorSent.toWellFormed());
      if (goesOn) contents.add(digest(read));
      totals.push(read.totalDocument);
      isEmpty = read.recordCount === 0;
    },
  };
}

/** True for a page with entries that can't be read. */
export function hasUnreadable({ setAside }: Pick<ReadPage, 'setAside'>): boolean {
  const leftOut: readonly string[] = Object.values(LEFT_OUT_REASONS);
  return setAside.some(({ reason }) => !leftOut.includes(reason));
}

/** The entries of a page as they came, as one text. */
function digest({ records, setAside }: ReadPage): string {
  const hash = createHash('sha256');
  for (const record of records) hash.update(JSON.stringify(record));
  for (const entry of setAside) hash.update(identifyAside(entry));
  return hash.digest('hex');
}
