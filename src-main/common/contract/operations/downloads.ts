import { Type } from 'typebox';
import { Certificate, Download, PageRequest } from '../../model/cache/download.ts';
import { Period } from '../../model/period.ts';
import { DetailKindSchema } from '../../model/cache/snapshot.ts';
import { Nullable } from '../../model/nullable.ts';
import { FillingTask, operation, RecordPlace, SnapshotId, TaskId } from '../operation.ts';

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
