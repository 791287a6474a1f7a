import { AppError, ErrorInfo } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
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
  /** Address that the records came from; empty for snapshots of before it was kept. */
  readonly baseAddress: string;
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

interface StoredDownload {
  readonly snapshot_id: number;
  readonly state: StoredDownloadState | null;
  readonly started_at_ms: number;
  readonly fetched_at_ms: number | null;
  readonly queued_at_ms: number | null;
  readonly ended_at_ms: number | null;
  readonly slice_days: number | null;
  readonly base_address: string | null;
  readonly page_size: number | null;
  readonly forecast_total: number | null;
  readonly resumed_count: number | null;
  readonly failure: string | null;
  readonly next_cursor: string | null;
  readonly slice_number: number;
  readonly slice_first_seq: number;
  readonly slice_total_before: number;
  readonly walk_entry_count: number;
}

const SELECT = `
  SELECT s.snapshot_id, d.state, s.started_at_ms, s.fetched_at_ms, d.queued_at_ms, d.ended_at_ms, d.slice_days,
    d.base_address, d.page_size, d.forecast_total, d.resumed_count, d.failure, s.next_cursor, s.slice_number,
    s.slice_first_seq, s.slice_total_before, s.walk_entry_count
  FROM snapshots AS s LEFT JOIN downloads AS d USING (snapshot_id)
  WHERE s.is_removed = 0 AND s.report LIKE '%-detail'`;

export interface DownloadReader {
  /** Throws AppError `cache.snapshot-not-found`; also for a summary, which has no download. */
  get(snapshotId: number): DownloadRow;
  /** The newest first; of one connection, or of all. */
  list(connectionId: string | null): DownloadRow[];
}

/** Reads downloads. A detail snapshot from before downloads were kept counts as ended. */
export function createDownloadReader(database: Database, snapshots: SnapshotReader): DownloadReader {
  const one = database.prepare<[number], StoredDownload>(`${SELECT} AND s.snapshot_id = ?`);
  const all = database.prepare<[string | null, string | null], StoredDownload>(
    `${SELECT} AND (? IS NULL OR s.connection_id = ?)
     ORDER BY coalesce(d.queued_at_ms, s.started_at_ms) DESC, s.snapshot_id DESC`,
  );
  const toDownload = (row: StoredDownload): DownloadRow => ({
    snapshot: snapshots.get(row.snapshot_id),
    state: row.state ?? 'ended',
    queuedAtMs: row.queued_at_ms ?? row.started_at_ms,
    endedAtMs: row.state === null ? row.fetched_at_ms : row.ended_at_ms,
    sliceDays: row.slice_days,
    baseAddress: row.base_address ?? '',
    pageSize: row.page_size,
    forecastTotal: row.forecast_total,
    resumedCount: row.resumed_count ?? 0,
    failure: row.failure === null ? null : parseFailure(row.failure),
    nextCursor: row.next_cursor,
    sliceNumber: row.slice_number,
    sliceFirstSeq: row.slice_first_seq,
    sliceTotalBefore: row.slice_total_before,
    walkEntryCount: row.walk_entry_count,
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
