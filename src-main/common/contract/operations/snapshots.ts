import { Type } from 'typebox';
import { SnapshotReading } from '../../model/cache/reading.ts';
import { RecordRow } from '../../model/records/record.ts';
import { JournalPage, OtherFields, SetAsideEntry, Snapshot } from '../../model/cache/snapshot.ts';
import { Nullable } from '../../model/nullable.ts';
import { Nothing, operation, SnapshotId, TaskId } from '../operation.ts';

const SnapshotIds = Type.Array(Type.Integer(), { maxItems: 1000 });
const Place = Type.Object({
  snapshotId: Type.Integer(),
  offset: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 500 }),
});

const Storage = Type.Object({
  /** The database with its log. */
  totalBytes: Type.Integer(),
  databaseBytes: Type.Integer(),
  inboundDetailBytes: Type.Integer(),
  outboundDetailBytes: Type.Integer(),
  summaryBytes: Type.Integer(),
  /** Free space of the disk that this user may fill. */
  freeBytes: Type.Integer(),
  /** Unused bytes of the file and those of removed snapshots, which `cache/reclaim` frees. */
  reclaimableBytes: Type.Integer(),
});

const Difference = Type.Object({
  kind: Type.Union([Type.Literal('added'), Type.Literal('removed'), Type.Literal('changed')]),
  /** The record in the older snapshot; null for one that was added. */
  older: Nullable(RecordRow),
  /** The record in the newer snapshot; null for one that was removed. */
  newer: Nullable(RecordRow),
});

const Comparison = Type.Object({
  /** Records that are the same in every field in both (decision 26: counted, not keyed). */
  unchanged: Type.Integer(),
  added: Type.Integer(),
  removed: Type.Integer(),
  /** Pairs with the same date and session that differ in another field; in neither of the other counts. */
  changed: Type.Integer(),
  /** The first 200, changed ones first, then removed, then added, each in the order received. */
  differences: Type.Array(Difference),
});

export const snapshotsOperations = {
  /** Newest first, without removed ones. */
  'snapshots/list': operation(Type.Object({ connectionId: Nullable(Type.String()) }), Type.Array(Snapshot)),
  'snapshots/get': operation(SnapshotId, Snapshot),
  /** Changes a snapshot's name, note or pin; fields left out stay. Retention never removes a pinned one. */
  'snapshots/annotate': operation(
    Type.Object({
      snapshotId: Type.Integer(),
      name: Type.Optional(Type.String({ maxLength: 200 })),
      note: Type.Optional(Type.String({ maxLength: 4000 })),
      pinned: Type.Optional(Type.Boolean()),
    }),
    Snapshot,
  ),
  /**
   * Hides snapshots at once, also pinned ones, after cancelling their tasks. Until `restorableUntilMs`
   * `snapshots/restore` brings them back, unless the application ends first; then they are deleted for
   * good and `snapshots/purged` carries the number of bytes that this freed.
   */
  'snapshots/remove': operation(
    Type.Object({ snapshotIds: SnapshotIds }),
    Type.Object({ restorableUntilMs: Type.Integer() }),
  ),
  /** Undoes a removal and returns the restored snapshots. Fails with `cache.snapshot-not-found` when there are none. */
  'snapshots/restore': operation(Type.Object({ snapshotIds: SnapshotIds }), Type.Array(Snapshot)),
  /**
   * Starts a task of kind `verify`, counted in records. It computes the checksum of every stored page again; the
   * result is each snapshot's `verification`. With null it checks all snapshots and, by SQLite's own check, the
   * whole file; that result is in `cache/read-state`.
   */
  'snapshots/verify': operation(Type.Object({ snapshotIds: Nullable(SnapshotIds) }), TaskId),
  /**
   * Starts a task of kind `read-again`, counted in records: stored pages are read with today's reader and in the
   * service's time zone of today, and stored anew where that makes a difference. With null of all snapshots. Those that
   * are being downloaded are left out.
   */
  'snapshots/read-again': operation(Type.Object({ snapshotIds: Nullable(SnapshotIds) }), TaskId),
  /** What reading the snapshot's pages again changed the last time; null before the first. */
  'snapshots/get-reading': operation(SnapshotId, Nullable(SnapshotReading)),
  /** Compares two detail snapshots of one report. Fails with `app.invalid-input` for other pairs. */
  'snapshots/compare': operation(
    Type.Object({ olderId: Type.Integer(), newerId: Type.Integer() }),
    Comparison,
  ),
  /** Provenance of pages, in the order they were fetched. */
  'snapshots/read-journal': operation(
    Place,
    Type.Object({ total: Type.Integer(), pages: Type.Array(JournalPage) }),
  ),
  /**
   * What a page says beside its records, as received. Nothing of a page that was made from the rows of version 0.1.0.
   * Fails with `cache.page-damaged`.
   */
  'snapshots/read-envelope': operation(
    Type.Object({ snapshotId: Type.Integer(), pageNumber: Type.Integer({ minimum: 0 }) }),
    OtherFields,
  ),
  /** Entries of pages that could not be read as records, as received. */
  'snapshots/read-set-aside': operation(
    Place,
    Type.Object({ total: Type.Integer(), entries: Type.Array(SetAsideEntry) }),
  ),
  'snapshots/read-storage': operation(Nothing, Storage),
};

export const snapshotsEvents = {
  /** Sent when a removal is undone, too. */
  'snapshots/changed': Snapshot,
  'snapshots/removed': Type.Object({ snapshotIds: Type.Array(Type.Integer()) }),
  /** Removed snapshots were deleted for good. */
  'snapshots/purged': Type.Object({ snapshotIds: Type.Array(Type.Integer()), freedBytes: Type.Integer() }),
};
