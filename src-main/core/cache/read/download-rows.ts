import { AppError } from '../../../common/contract/errors.ts';
import { ErrorInfo } from '../../../common/model/error-info.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { Value } from 'typebox/value';
import type { Database } from '../../../node/open-database.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { AskedDates } from './download-figures.ts';
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

export interface DownloadReader {
  /** Throws AppError `cache.snapshot-not-found`; also for a summary, which has no download. */
  get(snapshotId: number): DownloadRow;
  /** The newest first; of one connection, or of all. */
  list(connectionId: string | null): DownloadRow[];
  /** The slice that is walked and the next ones, in the order in which they are walked; `limit` of them. */
  listNextSlices(wanted: { readonly snapshotId: number; readonly limit: number }): AskedDates[];
}

/** Prepares the reading of downloads. */
export function createDownloadReader(database: Database, snapshots: SnapshotReader): DownloadReader {
  const one = database.prepare<[number], StoredDownload>(`${SELECT} AND s.snapshot_id = ?`);
  const all = database.prepare<[string | null, string | null], StoredDownload>(
    `${SELECT} AND (? IS NULL OR s.connection_id = ?) ORDER BY queuedAtMs DESC, s.snapshot_id DESC`,
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
    list: (connectionId) => all.all(connectionId, connectionId).map(toDownload),
    listNextSlices: ({ snapshotId, limit }) => nextSlices.all(snapshotId, limit),
  };
}

/** A later version may have written codes that this one does not know. */
function parseFailure(text: string): ErrorInfo | null {
  const value: unknown = JSON.parse(text);
  return Value.Check(ErrorInfo, value) ? value : null;
}
