import type { Remark } from '../../../common/model/cache/snapshot.ts';
import type { SummaryGroup } from '../../../common/model/records/histogram.ts';
import type { SetAside } from '../../../common/reporting/reading/read-page.ts';
import type { Database } from '../../../node/open-database.ts';
import { GROUP_COLUMNS } from '../read/record-tables.ts';
import type { RowDigest } from './insert-records.ts';

/** A page as its answer came, with the journal's words about it. */
export interface NewPage {
  readonly snapshotId: number;
  /** From 0, in order. */
  readonly pageNumber: number;
  readonly cursorSent: string;
  readonly cursorReceived: string | null;
  readonly entryCount: number;
  readonly firstSeq: number;
  readonly stored: number;
  readonly size: number;
  readonly sha256: string;
  readonly recordsSha256: string;
  readonly totalDocument: number | null;
  readonly executionTimeMs: number | null;
  readonly status: number;
  readonly requestedAtMs: number;
  readonly receivedAtMs: number;
  readonly sliceNumber: number;
  readonly walkNumber: number;
  readonly sizeAsked: number | null;
  /** Entries at the beginning of the page that an earlier walk stored. */
  readonly knownEntries: number;
}

interface SnapshotChange {
  readonly snapshotId: number;
  /** Records and entries that are new in the snapshot; a walk that began again meets known ones first. */
  readonly stored: number;
  readonly freshEntries: number;
  /** Everything readable and everything at all in the page. */
  readonly pageRecords: number;
  readonly pageEntries: number;
  /** Records at the page's beginning that are the end of the page before. */
  readonly overlap: number;
  readonly size: number;
  readonly totalDocument: number | null;
  readonly receivedAtMs: number;
  readonly idReport: string;
  readonly nameVisualization: string;
  readonly nextCursor: string | null;
}

/** How far the walk over a snapshot's pages has come; `nextCursor` is null at the end of its slice. */
export interface WalkRow {
  readonly nextCursor: string | null;
  readonly sliceNumber: number;
  /** What the slice is responsible for, [fromMs, toMs), and where its requests begin. */
  readonly sliceFromMs: number;
  readonly sliceToMs: number;
  readonly startDate: string;
  /** Where the slice's records begin. */
  readonly sliceFirstSeq: number;
  /** Sum of the totals of the slices before. */
  readonly sliceTotalBefore: number;
  /** Entries of the slice that are in the cache, from this walk or one before it. */
  readonly sliceEntryCount: number;
  readonly walkNumber: number;
  readonly walkEntryCount: number;
  readonly walkRecordCount: number;
  /** Pages with records of the walk, and how much of them the end of the page before began with. */
  readonly walkPageCount: number;
  readonly walkOverlapPages: number;
  readonly walkOverlapRecords: number;
}
interface KnownPage {
  readonly recordCount: number;
  readonly totalDocument: number | null;
}

export type PageWrites = ReturnType<typeof preparePageWrites>;

/** Prepares every statement that storing a page takes. */
export function preparePageWrites(database: Database) {
  const walk = database.prepare<[number], WalkRow>(
    `SELECT next_cursor AS nextCursor, slice_number AS sliceNumber, l.from_ms AS sliceFromMs, l.to_ms AS sliceToMs,
       l.start_date AS startDate, first_seq AS sliceFirstSeq, total_before AS sliceTotalBefore,
       entry_count AS sliceEntryCount, walk_number AS walkNumber, walk_entry_count AS walkEntryCount,
       walk_record_count AS walkRecordCount, walk_page_count AS walkPageCount, walk_overlap_pages AS walkOverlapPages,
       walk_overlap_records AS walkOverlapRecords
     FROM snapshots JOIN slices AS l USING (snapshot_id, slice_number) WHERE snapshot_id = ?`,
  );
  const page = database.prepare<[number, number, string, string], KnownPage>(
    `SELECT entry_count AS recordCount, total_document AS totalDocument
     FROM pages WHERE snapshot_id = ? AND walk_number = ? AND cursor_sent = ? AND sha256 = ?`,
  );
  const lastEntryCount = database
    .prepare<[number, number], number>(
      `SELECT entry_count FROM pages WHERE snapshot_id = ? AND walk_number = ?
       ORDER BY page_number DESC LIMIT 1`,
    )
    .pluck();
  const seen = database.prepare(
    // The cursor that a page returned is the one that the next page was requested with.
    'SELECT 1 FROM pages WHERE snapshot_id = ? AND walk_number = ? AND cursor_sent = ? LIMIT 1',
  );
  const insertPage = database.prepare(
    `INSERT INTO pages (snapshot_id, page_number, cursor_sent, cursor_received, entry_count, first_seq,
       record_count, size_bytes, sha256, total_document, execution_time_ms, status, requested_at_ms,
       received_at_ms, slice_number, walk_number, size_asked, known_entries,
       records_sha256, is_cleaned)
     VALUES (@snapshotId, @pageNumber, @cursorSent, @cursorReceived, @entryCount, @firstSeq, @stored, @size,
       @sha256, @totalDocument, @executionTimeMs, @status, @requestedAtMs, @receivedAtMs,
       @sliceNumber, @walkNumber, @sizeAsked, @knownEntries, @recordsSha256, 1)`,
  );
  const insertBody = database.prepare(
    'INSERT INTO page_bodies (snapshot_id, page_number, body) VALUES (?, ?, ?)',
  );
  const insertSetAside = database.prepare(
    'INSERT INTO set_aside (snapshot_id, page_number, place, reason, text) VALUES (?, ?, ?, ?, ?)',
  );
  const insertGroup = database.prepare(
    `INSERT INTO summary_groups (snapshot_id, seq, ${GROUP_COLUMNS.map(({ column }) => column).join(', ')})
     VALUES (?, ?${', ?'.repeat(GROUP_COLUMNS.length)})`,
  );
  const mergeRemark = database.prepare(
    `INSERT INTO remarks (snapshot_id, code, count, detail) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       count = CASE WHEN excluded.count IS NULL THEN count ELSE coalesce(count, 0) + excluded.count END,
       detail = coalesce(excluded.detail, detail)`,
  );
  const forgetOneSided = database.prepare(
    `DELETE FROM remarks WHERE snapshot_id = ? AND code IN ('answer-has-inbound-only', 'answer-has-outbound-only')
       AND EXISTS (SELECT 1 FROM summary_groups WHERE snapshot_id = remarks.snapshot_id)`,
  );
  const update = database.prepare(
    `UPDATE snapshots SET
       record_count = record_count + @stored, received_count = received_count + @freshEntries,
       page_count = page_count + 1, size_bytes = size_bytes + @size,
       total_document = coalesce(@totalDocument + (SELECT total_before FROM slices AS l
         WHERE l.snapshot_id = snapshots.snapshot_id AND l.slice_number = snapshots.slice_number), total_document),
       fetched_at_ms = @receivedAtMs, fetched_order = ${NEXT_FETCHED_ORDER},
       id_report = @idReport, name_visualization = @nameVisualization
     WHERE snapshot_id = @snapshotId`,
  );
  const walkOn = database.prepare(
    `UPDATE slices SET entry_count = entry_count + @freshEntries,
       walk_entry_count = walk_entry_count + @pageEntries, walk_record_count = walk_record_count + @pageRecords,
       walk_page_count = walk_page_count + (@pageRecords > 0), walk_overlap_pages = walk_overlap_pages + (@overlap > 0),
       walk_overlap_records = walk_overlap_records + @overlap, next_cursor = @nextCursor
     WHERE snapshot_id = @snapshotId
       AND slice_number = (SELECT slice_number FROM snapshots AS s WHERE s.snapshot_id = @snapshotId)`,
  );
  return {
    readWalk: (snapshotId: number) => walk.get(snapshotId) ?? null,
    findPage: (snapshotId: number, walkNumber: number, cursorSent: string, sha256: string) =>
      page.get(snapshotId, walkNumber, cursorSent, sha256) ?? null,
    /** True when the walk's page before held nothing. */
    wasEmpty: (snapshotId: number, walkNumber: number) => lastEntryCount.get(snapshotId, walkNumber) === 0,
    wasSeen: (snapshotId: number, walkNumber: number, cursor: string) =>
      seen.get(snapshotId, walkNumber, cursor) !== undefined,
    insertPage: (page: NewPage): void => void insertPage.run(page),
    insertBody: (snapshotId: number, pageNumber: number, packed: Buffer): void =>
      void insertBody.run(snapshotId, pageNumber, packed),
    insertSetAside: (snapshotId: number, pageNumber: number, { index, reason, text }: SetAside): void =>
      void insertSetAside.run(snapshotId, pageNumber, index, reason, text),
    insertGroups: (
      snapshotId: number,
      firstSeq: number,
      groups: readonly SummaryGroup[],
      digest: RowDigest,
    ): void => {
      for (const [index, group] of groups.entries()) {
        const values = GROUP_COLUMNS.map(({ name }) => group[name]);
        insertGroup.run(snapshotId, firstSeq + index, values);
        digest.add({ values });
      }
    },
    /** Adds up the counts of a code; the newest detail stays. */
    mergeRemark: (snapshotId: number, { code, count, detail }: Remark): void =>
      void mergeRemark.run(snapshotId, code, count ?? null, detail ?? null),
    /** Where both summaries share an identifier, a page of one of them says nothing of those before and after it. */
    forgetOneSided: (snapshotId: number): void => void forgetOneSided.run(snapshotId),
    /** Goes on to the next page; this one brought nothing new. */
    passPage: (page: { snapshotId: number; entries: number; nextCursor: string | null }): void => {
      const { entries, ...rest } = page;
      walkOn.run({ ...rest, freshEntries: entries, pageEntries: entries, pageRecords: 0, overlap: 0 });
    },
    updateSnapshot: ({ pageEntries, pageRecords, overlap, nextCursor, ...change }: SnapshotChange): void => {
      const { snapshotId, freshEntries } = change;
      update.run(change);
      walkOn.run({ snapshotId, freshEntries, pageEntries, pageRecords, overlap, nextCursor });
    },
  };
}

/**
 * The next number in the order in which snapshots were fetched, as SQL: larger than that of every other one, and than those
 * of a damaged file whose snapshots are still to be brought over. No clock decides what is newer, since a clock may be set
 * back, and files of others were made by theirs.
 */
export const NEXT_FETCHED_ORDER =
  '(SELECT max(reserved_order, (SELECT coalesce(max(fetched_order), 0) FROM snapshots)) + 1 FROM cache_state)';
