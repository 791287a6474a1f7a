import type { Period } from '../../../common/model/period.ts';
import { SECOND_MS } from '../../../common/time/durations.ts';
import type { Database } from '../../../node/open-database.ts';

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
