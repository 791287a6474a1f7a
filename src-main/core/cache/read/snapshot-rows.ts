import { AppError } from '../../../common/contract/errors.ts';
import { Value } from 'typebox/value';
import type { Period } from '../../../common/model/period.ts';
import { SnapshotReading } from '../../../common/model/cache/reading.ts';
import { ImportedFrom } from '../../../common/model/cache/imported.ts';
import type { Remark, Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';

type SnapshotRow = Omit<
  Snapshot,
  | 'period'
  | 'remarks'
  | 'stillOpen'
  | 'pinned'
  | 'isLook'
  | 'verification'
  | 'settledToMs'
  | 'settledLookBackMs'
  | 'imported'
> &
  Period & {
    readonly stillOpen: number;
    readonly settledToMs: number | null;
    readonly settledLookBackMs: number | null;
    readonly pinned: number;
    readonly isLook: number;
    readonly verifiedAtMs: number | null;
    readonly damagedPages: number | null;
    /** JSON. */
    readonly imported: string | null;
  };
interface RemarkRow {
  readonly code: string;
  readonly count: number | null;
  readonly detail: string | null;
}

export interface SnapshotReader {
  /** Throws AppError `cache.snapshot-not-found`. */
  get(snapshotId: number): Snapshot;
  /** Begun last first; of one connection, or of all. */
  list(connectionId: string | null): Snapshot[];
  /** What reading its pages again changed the last time; null before the first. Throws as `get`. */
  getReading(snapshotId: number): SnapshotReading | null;
}

const SELECT = `
  SELECT snapshot_id AS id, connection_id AS connectionId, tenant, report, start_date AS startDate,
    end_date AS endDate, from_ms AS fromMs, to_ms AS toMs, zone, state, record_count AS recordCount,
    total_document AS totalDocument, page_count AS pageCount, size_bytes AS sizeBytes,
    started_at_ms AS startedAtMs, fetched_at_ms AS fetchedAtMs, id_report AS idReport,
    name_visualization AS nameVisualization, failure, still_open AS stillOpen, name, note,
    is_pinned AS pinned, is_look AS isLook, refresh_of AS refreshOf, verified_at_ms AS verifiedAtMs,
    damaged_pages AS damagedPages, reading, settled_to_ms AS settledToMs,
    settled_look_back_ms AS settledLookBackMs, imported, fetched_order AS fetchedOrder
  FROM snapshots WHERE is_removed = 0`;

/** Reads snapshots; those being removed are gone already. */
export function createSnapshotReader(database: Database): SnapshotReader {
  const one = database.prepare<[number], SnapshotRow>(`${SELECT} AND snapshot_id = ?`);
  const all = database.prepare<[string | null, string | null], SnapshotRow>(
    // A followed day that nothing has come of yet is no snapshot to anybody.
    `${SELECT} AND (? IS NULL OR connection_id = ?) AND (settled_to_ms IS NULL OR to_ms >= from_ms)
     ORDER BY snapshot_id DESC`,
  );
  const remarks = database.prepare<[number], RemarkRow>(
    'SELECT code, count, detail FROM remarks WHERE snapshot_id = ? ORDER BY code',
  );
  const reading = database
    .prepare<[number], string | null>(
      'SELECT last_reading FROM snapshots WHERE is_removed = 0 AND snapshot_id = ?',
    )
    .pluck();
  const toSnapshot = (row: SnapshotRow): Snapshot => {
    const {
      startDate,
      endDate,
      fromMs,
      toMs,
      zone,
      verifiedAtMs,
      damagedPages,
      settledToMs,
      settledLookBackMs,
      imported,
      isLook,
      ...more
    } = row;
    const origin = imported === null ? null : parseImported(imported);
    return {
      ...more,
      period: { startDate, endDate, fromMs, toMs, zone },
      stillOpen: row.stillOpen === 1,
      ...(settledToMs === null ? {} : { settledToMs }),
      ...(settledLookBackMs === null ? {} : { settledLookBackMs }),
      ...(origin === null ? {} : { imported: origin }),
      pinned: row.pinned === 1,
      ...(isLook === 1 ? { isLook: true } : {}),
      remarks: remarks.all(row.id).map(toRemark),
      verification: verifiedAtMs === null ? null : { atMs: verifiedAtMs, damagedPages: damagedPages ?? 0 },
    };
  };
  const orThrow = <Value>(snapshotId: number, found: Value | undefined): Value => {
    if (found !== undefined) return found;
    throw new AppError('cache.snapshot-not-found', 'The snapshot is not in the cache.', { snapshotId });
  };
  return {
    get: (snapshotId) => toSnapshot(orThrow(snapshotId, one.get(snapshotId))),
    list: (connectionId) => all.all(connectionId, connectionId).map(toSnapshot),
    getReading(snapshotId) {
      const text = orThrow(snapshotId, reading.get(snapshotId));
      return text === null ? null : parseReading(text);
    },
  };
}

/** What another version kept in another form is as good as nothing. */
function parseReading(text: string): SnapshotReading | null {
  const value: unknown = JSON.parse(text);
  return Value.Check(SnapshotReading, value) ? value : null;
}

function parseImported(text: string): ImportedFrom | null {
  const value: unknown = JSON.parse(text);
  return Value.Check(ImportedFrom, value) ? value : null;
}

function toRemark(row: RemarkRow): Remark {
  return {
    code: row.code,
    ...(row.count === null ? {} : { count: row.count }),
    ...(row.detail === null ? {} : { detail: row.detail }),
  };
}
