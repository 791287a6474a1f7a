import { createHash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import type { Input, Output } from '../../../common/contract/index.ts';
import type { JournalPage } from '../../../common/model/cache/snapshot.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { readUsedBytes } from '../file/storage-size.ts';

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
export interface AskedDates {
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
