import { createHash } from 'node:crypto';
import { Value } from 'typebox/value';
import { AppError } from '../../../common/contract/errors.ts';
import type { Input, Output } from '../../../common/contract/index.ts';
import type { JournalPage, Snapshot } from '../../../common/model/cache/snapshot.ts';
import { ErrorInfo } from '../../../common/model/error-info.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { Database } from '../../../node/open-database.ts';
import { readUsedBytes } from '../file/open-database.ts';
import type { SnapshotReader } from './snapshot-rows.ts';

/** State of a download that is kept between runs; `waiting` is a state of the task alone. */
export type StoredDownloadState = 'queued' | 'running' | 'paused' | 'ended';

/** A detail snapshot's download as it is stored, and where its walk over pages stands. */
export interface DownloadRow {
  readonly snapshot: Snapshot;
  readonly state: StoredDownloadState;
  readonly queuedAtMs: number;
  readonly endedAtMs: number | null;
  readonly sliceDays: number | null;
  /** It is in one piece until its first page shows whether pieces are worth it. */
  readonly mayCut: boolean;
  /** Where the first request begins; empty for the period's own beginning. */
  readonly askedStart: string;
  /** Address that the records came from; empty for snapshots from before it was kept. */
  readonly baseAddress: string;
  /** Identifier of the report as it was requested; empty for downloads from before it was kept. */
  readonly reportIdentifier: string;
  readonly pageSize: number | null;
  /** Total of the whole period, asked for before it was cut into slices. */
  readonly forecastTotal: number | null;
  readonly resumedCount: number;
  readonly failure: ErrorInfo | null;
  /** Cursor of the next page; null at the end of the slice. */
  readonly nextCursor: string | null;
  /** The slice that is walked, or was walked last; one of so many. */
  readonly sliceNumber: number;
  readonly sliceCount: number;
  /** What it is responsible for, [sliceFromMs, sliceToMs). */
  readonly sliceFromMs: number;
  readonly sliceToMs: number;
  /** What was read to its end, in order; empty for a whole snapshot. */
  readonly readSpans: readonly TimeSpan[];
  /** Records of the slices before, and the sum of their totals. */
  readonly sliceFirstSeq: number;
  readonly sliceTotalBefore: number;
  /** Entries that came since the walk over this slice began. */
  readonly walkEntryCount: number;
}

type StoredDownload = Omit<DownloadRow, 'snapshot' | 'failure' | 'mayCut' | 'readSpans'> & {
  readonly mayCut: number | null;
  readonly snapshotId: number;
  readonly failure: string | null;
};

/** A detail snapshot from before downloads were kept counts as a download that ended. */
const SELECT = `
  SELECT s.snapshot_id AS snapshotId, coalesce(d.state, 'ended') AS state,
    coalesce(d.queued_at_ms, s.started_at_ms) AS queuedAtMs,
    CASE WHEN d.state IS NULL THEN s.fetched_at_ms ELSE d.ended_at_ms END AS endedAtMs,
    d.slice_days AS sliceDays, d.may_cut AS mayCut, coalesce(d.asked_start, '') AS askedStart,
    coalesce(d.base_address, '') AS baseAddress,
    coalesce(d.report_identifier, '') AS reportIdentifier, d.page_size AS pageSize,
    d.forecast_total AS forecastTotal, coalesce(d.resumed_count, 0) AS resumedCount, d.failure,
    l.next_cursor AS nextCursor, s.slice_number AS sliceNumber,
    CASE WHEN s.settled_to_ms IS NULL THEN coalesce((SELECT max(a.slice_number) + 1 FROM slices AS a
      WHERE a.snapshot_id = s.snapshot_id), 1) ELSE 1 END AS sliceCount,
    coalesce(l.from_ms, s.from_ms) AS sliceFromMs, coalesce(l.to_ms, s.to_ms) AS sliceToMs,
    coalesce(l.first_seq, 0) AS sliceFirstSeq, coalesce(l.total_before, 0) AS sliceTotalBefore,
    coalesce(l.walk_entry_count, 0) AS walkEntryCount
  FROM snapshots AS s LEFT JOIN downloads AS d USING (snapshot_id)
    LEFT JOIN slices AS l ON l.snapshot_id = s.snapshot_id AND l.slice_number = s.slice_number
  WHERE s.is_removed = 0 AND s.report LIKE '%-detail'`;

interface DownloadReader {
  /** Throws AppError `cache.snapshot-not-found`; also for a summary, which has no download. */
  get(snapshotId: number): DownloadRow;
  /** The newest first; of some connections, or of all. */
  list(connectionIds: readonly string[] | null): DownloadRow[];
  /** The slice that is walked and the next ones, in the order in which they are walked; `limit` of them. */
  listNextSlices(wanted: { readonly snapshotId: number; readonly limit: number }): AskedDates[];
}

/** Prepares the reading of downloads. */
export function createDownloadReader(database: Database, snapshots: SnapshotReader): DownloadReader {
  const one = database.prepare<[number], StoredDownload>(`${SELECT} AND s.snapshot_id = ?`);
  const all = database.prepare<[string | null, string | null], StoredDownload>(
    `${SELECT} AND (? IS NULL OR s.connection_id IN (SELECT value FROM json_each(?)))
     ORDER BY queuedAtMs DESC, s.snapshot_id DESC`,
  );
  const readSpans = database.prepare<[number], TimeSpan>(
    `SELECT from_ms AS fromMs, to_ms AS toMs FROM slices WHERE snapshot_id = ? AND next_cursor IS NULL
     ORDER BY from_ms`,
  );
  const nextSlices = database.prepare<[number, number], AskedDates>(
    `SELECT l.start_date AS startDate, l.end_date AS endDate FROM snapshots AS s
       JOIN slices AS l ON l.snapshot_id = s.snapshot_id AND l.slice_number >= s.slice_number
     WHERE s.snapshot_id = ? ORDER BY l.slice_number LIMIT ?`,
  );
  const toDownload = ({ snapshotId, failure, mayCut, ...more }: StoredDownload): DownloadRow => {
    const snapshot = snapshots.get(snapshotId);
    return {
      ...more,
      mayCut: mayCut === 1,
      snapshot,
      failure: failure === null ? null : parseFailure(failure),
      readSpans: snapshot.state === 'complete' ? [] : readSpans.all(snapshotId),
    };
  };
  return {
    get(snapshotId) {
      const row = one.get(snapshotId);
      if (row !== undefined) return toDownload(row);
      throw new AppError('cache.snapshot-not-found', 'There is no such download.', { snapshotId });
    },
    list(connectionIds) {
      const ids = connectionIds === null ? null : JSON.stringify(connectionIds);
      return all.all(ids, ids).map(toDownload);
    },
    listNextSlices: ({ snapshotId, limit }) => nextSlices.all(snapshotId, limit),
  };
}

/** A later version may have written codes that this one does not know. */
function parseFailure(text: string): ErrorInfo | null {
  const value: unknown = JSON.parse(text);
  return Value.Check(ErrorInfo, value) ? value : null;
}

/** What earlier downloads of a report took; zeros where there was none. */
export interface DownloadPace {
  readonly recordCount: number;
  readonly receivedBytes: number;
  /** Sum of the times from each request to its response. */
  readonly durationMs: number;
  /** Bytes on the disk for each byte received; null while the cache holds too little for an estimate. */
  readonly diskShare: number | null;
}

/** Both ends of a request, as it writes them but for the second that it asks beyond its end. */
interface AskedDates {
  readonly startDate: string;
  readonly endDate: string;
}

/** Figures of one slice, from the journal of pages. */
interface SliceFigures {
  readonly sliceNumber: number;
  readonly pageCount: number;
  readonly recordCount: number;
  readonly firstTotal: number | null;
  readonly lastTotal: number | null;
  /** What it asked for; null where the slices were lost with a part of a damaged file. */
  readonly asked: AskedDates | null;
}

/** Figures of a whole download, from its journal of pages. */
export interface JournalFigures {
  readonly slices: readonly SliceFigures[];
  readonly setAsideCount: number;
  readonly firstPageAtMs: number | null;
  readonly lastPageAtMs: number | null;
  /** SHA-256 of each page as received, in hex, in order; and of all of these, each followed by a line feed. */
  readonly pageSha256: readonly string[];
  readonly pagesSha256: string;
}

interface FiguresRow {
  readonly slice: number;
  readonly records: number;
  readonly total: number | null;
  readonly sha256: string;
  readonly receivedAtMs: number;
  readonly startDate: string | null;
  readonly endDate: string | null;
}

/** Downloads that an estimate is made from. */
const MAX_PACE_DOWNLOADS = 5;
/** Below this the file's fixed parts outweigh its records. */
const MIN_ESTIMATE_BYTES = 4 * 1024 * 1024;

/** Figures of the last complete downloads of a connection's report. */
export function readPace(database: Database, connectionId: string, report: DetailKind): DownloadPace {
  const recent = database
    .prepare<[string, string, number], { records: number; bytes: number; ms: number }>(
      `SELECT s.record_count AS records, s.size_bytes AS bytes,
         (SELECT sum(p.received_at_ms - p.requested_at_ms) FROM pages AS p WHERE p.snapshot_id = s.snapshot_id) AS ms
       FROM snapshots AS s
       WHERE s.connection_id = ? AND s.report = ? AND s.state = 'complete' AND s.record_count > 0
         AND s.is_removed = 0
       ORDER BY s.fetched_order DESC LIMIT ?`,
    )
    .all(connectionId, report, MAX_PACE_DOWNLOADS);
  const sum = (read: (row: (typeof recent)[number]) => number): number =>
    recent.reduce((total, row) => total + read(row), 0);
  return {
    recordCount: sum(({ records }) => records),
    receivedBytes: sum(({ bytes }) => bytes),
    durationMs: sum(({ ms }) => ms),
    diskShare: readDiskShare(database),
  };
}

function readDiskShare(database: Database): number | null {
  const received = database
    .prepare<[], number | null>('SELECT sum(size_bytes) FROM snapshots WHERE is_removed = 0')
    .pluck()
    .get();
  if (typeof received !== 'number' || received < MIN_ESTIMATE_BYTES) return null;
  return readUsedBytes(database) / received;
}

/** Reads a snapshot's journal of pages through. */
export function readJournalFigures(database: Database, snapshotId: number): JournalFigures {
  const rows = database
    .prepare<[number], FiguresRow>(
      `SELECT p.slice_number AS slice, record_count AS records, total_document AS total, sha256,
         received_at_ms AS receivedAtMs, f.start_date AS startDate, f.end_date AS endDate
       FROM pages AS p LEFT JOIN slices AS f USING (snapshot_id, slice_number)
       WHERE p.snapshot_id = ? ORDER BY page_number`,
    )
    .iterate(snapshotId);
  const hash = createHash('sha256');
  const pageSha256: string[] = [];
  const slices = new Map<number, SliceFigures>();
  let firstPageAtMs: number | null = null;
  let lastPageAtMs: number | null = null;
  for (const row of rows) {
    hash.update(`${row.sha256}\n`);
    pageSha256.push(row.sha256);
    // Several slices are walked at once: a page may have come before one that is stored earlier.
    firstPageAtMs = Math.min(firstPageAtMs ?? Infinity, row.receivedAtMs);
    lastPageAtMs = Math.max(lastPageAtMs ?? -Infinity, row.receivedAtMs);
    const before = slices.get(row.slice);
    slices.set(row.slice, {
      sliceNumber: row.slice,
      pageCount: (before?.pageCount ?? 0) + 1,
      recordCount: (before?.recordCount ?? 0) + row.records,
      firstTotal: before?.firstTotal ?? row.total,
      lastTotal: row.total ?? before?.lastTotal ?? null,
      asked: toAsked(row),
    });
  }
  const setAsideCount = Number(
    database
      .prepare(`SELECT count(*) FROM set_aside WHERE snapshot_id = ? AND ${IS_UNREADABLE}`)
      .pluck()
      .get(snapshotId),
  );
  const pagesSha256 = hash.digest('hex');
  return {
    slices: [...slices.values()],
    setAsideCount,
    firstPageAtMs,
    lastPageAtMs,
    pageSha256,
    pagesSha256,
  };
}

/** The dates of a slice; null where there is none. */
function toAsked(row: {
  readonly startDate: string | null;
  readonly endDate: string | null;
}): AskedDates | null {
  const { startDate, endDate } = row;
  return startDate === null || endDate === null ? null : { startDate, endDate };
}

/**
 * Why an entry that can be read is not among the records of its snapshot: the slice before holds it as often, or it
 * lies in the second before or after the period. Stored with the entries that can't be read, but not counted among them.
 */
export const LEFT_OUT_REASONS = {
  double: 'seen-at-cut',
  earlier: 'before-period',
  later: 'after-period',
} as const;

/** A condition of SQL on `reason`: true for entries that can't be read. */
export const IS_UNREADABLE = `reason NOT IN (${Object.values(LEFT_OUT_REASONS)
  .map((reason) => `'${reason}'`)
  .join(', ')})`;

/** What a page was requested with. */
export interface AskedPage {
  readonly cursorSent: string;
  /** Null for pages from before it was kept. */
  readonly sizeAsked: number | null;
  /** What its slice asked for; null where the slices were lost with a part of a damaged file. */
  readonly asked: AskedDates | null;
}

interface JournalReader {
  /** The page that holds a record. Throws AppError `cache.snapshot-not-found` where none does. */
  readAsked(place: Input<'records/read-record'>): AskedPage;
  readPages(place: Input<'snapshots/read-journal'>): Output<'snapshots/read-journal'>;
}

type JournalPageRow = Omit<JournalPage, 'damaged'> & { readonly damaged: number };

/** Prepares the reading of the journal of pages. */
export function createJournalReader(database: Database): JournalReader {
  const countPages = database
    .prepare<[number], number>('SELECT count(*) FROM pages WHERE snapshot_id = ?')
    .pluck();
  // Pages are numbered without gaps, so a place in the list is a page number.
  const pages = database.prepare<[number, number, number], JournalPageRow>(
    `SELECT page_number AS pageNumber, cursor_sent AS cursorSent, cursor_received AS cursorReceived,
       entry_count AS entryCount, first_seq AS firstSeq, record_count AS recordCount,
       (SELECT count(*) FROM set_aside AS s WHERE s.snapshot_id = p.snapshot_id AND s.page_number = p.page_number
          AND ${IS_UNREADABLE}) AS setAsideCount,
       size_bytes AS sizeBytes, sha256, records_sha256 AS recordsSha256, is_damaged AS damaged,
       total_document AS totalDocument, execution_time_ms AS executionTimeMs, status,
       requested_at_ms AS requestedAtMs, received_at_ms AS receivedAtMs
     FROM pages AS p WHERE snapshot_id = ? AND page_number >= ? ORDER BY page_number LIMIT ?`,
  );
  type AskedRow = Omit<AskedPage, 'asked'> & Parameters<typeof toAsked>[0];
  const asked = database.prepare<[number, number, number], AskedRow>(
    `SELECT cursor_sent AS cursorSent, size_asked AS sizeAsked,
       f.start_date AS startDate, f.end_date AS endDate
     FROM pages AS p LEFT JOIN slices AS f USING (snapshot_id, slice_number)
     WHERE p.snapshot_id = ? AND p.first_seq <= ? AND p.first_seq + record_count > ?`,
  );
  return {
    readAsked: ({ snapshotId, seq }) => {
      const page = asked.get(snapshotId, seq, seq);
      if (page !== undefined) {
        const { startDate, endDate, ...more } = page;
        return { ...more, asked: toAsked({ startDate, endDate }) };
      }
      throw new AppError('cache.snapshot-not-found', 'The record is not in the cache.', { snapshotId, seq });
    },
    readPages: ({ snapshotId, offset, limit }) => ({
      total: countPages.get(snapshotId) ?? 0,
      pages: pages.all(snapshotId, offset, limit).map((row) => ({
        ...row,
        damaged: row.damaged === 1,
      })),
    }),
  };
}
