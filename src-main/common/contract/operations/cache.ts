import { type Static, Type } from 'typebox';
import { Certificate, Download, PageRequest } from '../../model/cache/download.ts';
import {
  CacheState,
  DetailKindSchema,
  JournalPage,
  OtherFields,
  ReportKindSchema,
  SetAsideEntry,
  Snapshot,
  SnapshotReading,
} from '../../model/cache/snapshot.ts';
import { ErrorInfo } from '../../model/error-info.ts';
import { Nullable } from '../../model/nullable.ts';
import { Period } from '../../model/period.ts';
import { RecordRow } from '../../model/records/record.ts';
import {
  ConnectionId,
  FillingTask,
  Nothing,
  operation,
  RecordPlace,
  SnapshotId,
  TaskId,
} from '../operation.ts';

export const cacheOperations = {
  /** The state of the cache itself: writable, short of space, put aside after damage; what retention removed. */
  'cache/read-state': operation(Nothing, CacheState),
  /** Tries to write again now, instead of within 30 seconds. Returns the state afterwards. */
  'cache/retry': operation(Nothing, CacheState),
  /** Deletes removed snapshots for good, at once, and frees their space on the disk. */
  'cache/reclaim': operation(Nothing, Type.Object({ freedBytes: Type.Integer() })),
};

export const cacheEvents = {
  /** The state changed. With another `startedAtMs`, every list and view must be read again. */
  'cache/changed': CacheState,
};

const Subject = Type.Object({ connectionId: Type.String(), report: ReportKindSchema });

/** Shares of a bucket, 0 to 1, that add up to 1 or less; the rest was never fetched. */
const CoverageBucket = Type.Object({
  fromMs: Type.Integer(),
  /** Exclusive. */
  toMs: Type.Integer(),
  /** Read to its end, and too old for late records. */
  settled: Type.Number(),
  /** Read to its end, but late records may still come (decision 27). */
  open: Type.Number(),
  /** Held by a download that runs, is paused or ended early: some of its records are here. */
  partial: Type.Number(),
  /** Requested, and nothing arrived. */
  failed: Type.Number(),
  /** Among what was read to its end: what a person's word alone says. Absent where there is none. */
  stated: Type.Optional(Type.Number()),
});

const Gap = Type.Object({
  fromMs: Type.Integer(),
  /** Exclusive, a whole second after `fromMs` or later. */
  toMs: Type.Integer(),
  state: Type.Union([
    Type.Literal('missing'),
    Type.Literal('failed'),
    Type.Literal('partial'),
    Type.Literal('open'),
  ]),
  /** The task that is fetching it, or `following`; null for nothing. */
  fetching: Nullable(Type.String()),
});

const Coverage = Type.Object({
  buckets: Type.Array(CoverageBucket),
  /** Everything in the span that is not settled, in order, with neighbours that are alike joined. */
  gaps: Type.Array(Gap),
  /** Records that are stored but not yet in the engine, which therefore doesn't count them. */
  unreadyRecords: Type.Integer(),
});

export const coverageOperations = {
  /** What is known of a span of a report, also in equal buckets; of several snapshots the best state counts. */
  'coverage/read': operation(
    Type.Object({
      ...Subject.properties,
      fromMs: Type.Integer(),
      toMs: Type.Integer(),
      buckets: Type.Integer({ minimum: 1, maximum: 2000 }),
    }),
    Coverage,
  ),
  /** What is not settled of the period of a snapshot, as though nothing else were cached. */
  'coverage/read-snapshot': operation(Type.Object({ snapshotId: Type.Integer() }), Coverage.properties.gaps),
};

/** What is known of a report changed: a page was stored, a download began or ended, or the engine has its records. */
export const coverageEvents = { 'coverage/changed': Subject };

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
   * Keeps that a person states that an imported snapshot holds all records of [fromMs, toMs), which must hold the period of
   * its records; null takes it back. It counts as complete by their word alone. Fails with `imports.not-all` for a file
   * that says that it lacks records, and with `imports.narrow-period` for a period that leaves records out.
   */
  'snapshots/state-complete': operation(
    Type.Object({
      snapshotId: Type.Integer(),
      span: Nullable(Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() })),
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

/**
 * Days to fetch at a time into the one snapshot, or a part of one; null for the period in one piece. Left out for what is
 * best: one piece, unless the period is long or its first page announces many.
 */
const SliceDays = Type.Optional(Nullable(Type.Number({ minimum: 1 / 24, maximum: 366 })));
/** A span of a report, as instants; both ends included. */
const Span = Type.Object({
  connectionId: Type.String(),
  report: DetailKindSchema,
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
});

export const downloadsOperations = {
  /**
   * Queues the download of a detail report: one at a time for a report and connection, others beside it.
   * Fails with `downloads.already-running` for a period that is queued or under way already.
   */
  'downloads/start': operation(
    Type.Object({
      connectionId: Type.String(),
      report: DetailKindSchema,
      period: Period,
      sliceDays: SliceDays,
    }),
    FillingTask,
  ),
  /**
   * Starts a task of kind `plan`, which requests one small page of the period. Its `plan` forecasts what a download would
   * take, in records, time and disk space. The task fails as a page does.
   */
  'downloads/start-plan': operation(
    Type.Object({ connectionId: Type.String(), report: DetailKindSchema, period: Period }),
    TaskId,
  ),
  /** The download of every detail snapshot, newest first. */
  'downloads/list': operation(Type.Object({ connectionId: Nullable(Type.String()) }), Type.Array(Download)),
  /** Stops a queued or running download where it is, also over a restart. One that has ended is left as it is. */
  'downloads/pause': operation(SnapshotId, Download),
  /** Continues at the stored cursor, as a new task. Fails with `downloads.not-resumable` when nothing is left to fetch. */
  'downloads/resume': operation(SnapshotId, FillingTask),
  /** Ends a queued, running or paused download; what arrived stays, and `downloads/resume` can still continue it. */
  'downloads/cancel': operation(SnapshotId, Download),
  /**
   * Like resume, but without a cursor to continue at, such as after a repeated one, it reads the pages again from
   * the start and adds what is missing.
   */
  'downloads/retry': operation(SnapshotId, FillingTask),
  /** Downloads a snapshot's period again into a new snapshot, whose `refreshOf` is the old one; see `snapshots/compare`. */
  'downloads/refresh': operation(SnapshotId, FillingTask),
  /**
   * Periods of a span, up to now, that no settled snapshot and no active download covers, and that following does not
   * fetch by itself; at most 100, oldest first.
   */
  'downloads/find-gaps': operation(Span, Type.Array(Period)),
  /** Queues a download for each of those periods. */
  'downloads/fetch-gaps': operation(Span, Type.Array(FillingTask)),
  /** The request of the page that holds a record. */
  'downloads/read-page-request': operation(RecordPlace, PageRequest),
  'downloads/read-certificate': operation(SnapshotId, Certificate),
  /** The certificate as JSON text, and a name for its file. */
  'downloads/export-certificate': operation(
    SnapshotId,
    Type.Object({ fileName: Type.String(), text: Type.String() }),
  ),
};

/** A download changed in more than its progress, for which there is `tasks/changed`. */
export const downloadsEvents = { 'downloads/changed': Download };

/** How following a connection is going. */
export const Following = Type.Object({
  connectionId: Type.String(),
  state: Type.Union([
    Type.Literal('off'),
    /** Switched on; the first turn has not ended yet. */
    Type.Literal('starting'),
    Type.Literal('following'),
    /** What appeared while nobody followed is being fetched: `behindMs` of it. */
    Type.Literal('catching-up'),
    /** Waits for something on this computer: room on the disk, the bundled service (`failure`). */
    Type.Literal('paused'),
    /** Credentials or rights were refused: nothing is tried again until a person acts. */
    Type.Literal('refused'),
    Type.Literal('unreachable'),
    /** The service responds, but not with a report that can be read to its end. */
    Type.Literal('failing'),
  ]),
  /** When the last turn ended well. */
  lastTurnAtMs: Nullable(Type.Integer()),
  nextTurnAtMs: Nullable(Type.Integer()),
  /** Time that is still to be fetched; 0 where nothing is. */
  behindMs: Type.Integer(),
  failure: Nullable(ErrorInfo),
  /** Since when each turn has failed. */
  failingSinceMs: Nullable(Type.Integer()),
});
export type Following = Static<typeof Following>;

export const followingOperations = {
  /** Of every connection, also of those that are not followed. */
  'following/list': operation(Nothing, Type.Array(Following)),
  /** Switches following on or off. On begins a turn at once, also after a refusal. */
  'following/switch': operation(
    Type.Object({ ...ConnectionId.properties, followed: Type.Boolean() }),
    Following,
  ),
};

export const followingEvents = { 'following/changed': Following };
