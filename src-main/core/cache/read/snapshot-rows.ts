import { AppError } from '../../../common/contract/errors.ts';
import type { Remark, Snapshot } from '../../../common/model/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';

interface SnapshotRow {
  readonly snapshot_id: number;
  readonly connection_id: string;
  readonly tenant: number;
  readonly report: Snapshot['report'];
  readonly start_date: string;
  readonly end_date: string;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly zone: string;
  readonly state: Snapshot['state'];
  readonly record_count: number;
  readonly total_document: number | null;
  readonly page_count: number;
  readonly size_bytes: number;
  readonly started_at_ms: number;
  readonly fetched_at_ms: number | null;
  readonly id_report: string;
  readonly name_visualization: string;
  readonly failure: string | null;
  readonly still_open: number;
  readonly name: string;
  readonly note: string;
  readonly is_pinned: number;
  readonly refresh_of: number | null;
  readonly verified_at_ms: number | null;
  readonly damaged_pages: number | null;
}
interface RemarkRow {
  readonly code: string;
  readonly count: number | null;
  readonly detail: string | null;
}

export interface SnapshotReader {
  /** Throws AppError `cache.snapshot-not-found`. */
  get(snapshotId: number): Snapshot;
  /** Newest first; of one connection, or of all. */
  list(connectionId: string | null): Snapshot[];
}

/** Reads snapshots; those being removed are gone already. */
export function createSnapshotReader(database: Database): SnapshotReader {
  const one = database.prepare<[number], SnapshotRow>(
    'SELECT * FROM snapshots WHERE snapshot_id = ? AND is_removed = 0',
  );
  const all = database.prepare<[string | null, string | null], SnapshotRow>(
    `SELECT * FROM snapshots WHERE is_removed = 0 AND (? IS NULL OR connection_id = ?)
     ORDER BY started_at_ms DESC, snapshot_id DESC`,
  );
  const remarks = database.prepare<[number], RemarkRow>(
    'SELECT code, count, detail FROM remarks WHERE snapshot_id = ? ORDER BY code',
  );
  const toSnapshot = (row: SnapshotRow): Snapshot => ({
    id: row.snapshot_id,
    connectionId: row.connection_id,
    tenant: row.tenant,
    report: row.report,
    period: {
      startDate: row.start_date,
      endDate: row.end_date,
      fromMs: row.from_ms,
      toMs: row.to_ms,
      zone: row.zone,
    },
    state: row.state,
    recordCount: row.record_count,
    totalDocument: row.total_document,
    pageCount: row.page_count,
    sizeBytes: row.size_bytes,
    startedAtMs: row.started_at_ms,
    fetchedAtMs: row.fetched_at_ms,
    idReport: row.id_report,
    nameVisualization: row.name_visualization,
    remarks: remarks.all(row.snapshot_id).map(toRemark),
    failure: row.failure,
    stillOpen: row.still_open === 1,
    name: row.name,
    note: row.note,
    pinned: row.is_pinned === 1,
    refreshOf: row.refresh_of,
    verification:
      row.verified_at_ms === null ? null : { atMs: row.verified_at_ms, damagedPages: row.damaged_pages ?? 0 },
  });
  return {
    get(snapshotId) {
      const row = one.get(snapshotId);
      if (row === undefined) {
        throw new AppError('cache.snapshot-not-found', 'The snapshot is not in the cache.', { snapshotId });
      }
      return toSnapshot(row);
    },
    list: (connectionId) => all.all(connectionId, connectionId).map(toSnapshot),
  };
}

function toRemark(row: RemarkRow): Remark {
  return {
    code: row.code,
    ...(row.count === null ? {} : { count: row.count }),
    ...(row.detail === null ? {} : { detail: row.detail }),
  };
}
