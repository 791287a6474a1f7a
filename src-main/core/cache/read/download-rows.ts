import { AppError, ErrorInfo } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { Value } from 'typebox/value';
import type { Database } from '../../../node/open-database.ts';
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
  readonly sliceNumber: number;
  /** Records of the slices before, and the sum of their totals. */
  readonly sliceFirstSeq: number;
  readonly sliceTotalBefore: number;
  /** Entries that came since the walk over this slice began. */
  readonly walkEntryCount: number;
}

type StoredDownload = Omit<DownloadRow, 'snapshot' | 'failure' | 'mayCut'> & {
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
    s.next_cursor AS nextCursor, s.slice_number AS sliceNumber, s.slice_first_seq AS sliceFirstSeq,
    s.slice_total_before AS sliceTotalBefore, s.walk_entry_count AS walkEntryCount
  FROM snapshots AS s LEFT JOIN downloads AS d USING (snapshot_id)
  WHERE s.is_removed = 0 AND s.report LIKE '%-detail'`;

export interface DownloadReader {
  /** Throws AppError `cache.snapshot-not-found`; also for a summary, which has no download. */
  get(snapshotId: number): DownloadRow;
  /** The newest first; of one connection, or of all. */
  list(connectionId: string | null): DownloadRow[];
}

/** Prepares the reading of downloads. */
export function createDownloadReader(database: Database, snapshots: SnapshotReader): DownloadReader {
  const one = database.prepare<[number], StoredDownload>(`${SELECT} AND s.snapshot_id = ?`);
  const all = database.prepare<[string | null, string | null], StoredDownload>(
    `${SELECT} AND (? IS NULL OR s.connection_id = ?) ORDER BY queuedAtMs DESC, s.snapshot_id DESC`,
  );
  const toDownload = ({ snapshotId, failure, mayCut, ...more }: StoredDownload): DownloadRow => ({
    ...more,
    mayCut: mayCut === 1,
    snapshot: snapshots.get(snapshotId),
    failure: failure === null ? null : parseFailure(failure),
  });
  return {
    get(snapshotId) {
      const row = one.get(snapshotId);
      if (row !== undefined) return toDownload(row);
      throw new AppError('cache.snapshot-not-found', 'There is no such download.', { snapshotId });
    },
    list: (connectionId) => all.all(connectionId, connectionId).map(toDownload),
  };
}

/** A later version may have written codes that this one does not know. */
function parseFailure(text: string): ErrorInfo | null {
  const value: unknown = JSON.parse(text);
  return Value.Check(ErrorInfo, value) ? value : null;
}
