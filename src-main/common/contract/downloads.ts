import { Type } from 'typebox';
import { Certificate, Download } from '../model/download.ts';
import { Period } from '../model/period.ts';
import { DetailKindSchema } from '../model/snapshot.ts';
import { operation } from './operation.ts';

const SnapshotId = Type.Object({ snapshotId: Type.Integer() });
const Started = Type.Object({ taskId: Type.String(), snapshotId: Type.Integer() });
/** Whole days fetched one after another inside one snapshot; null or left out for the period in one piece. */
const SliceDays = Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 366 }), Type.Null()]));
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
    Started,
  ),
  /**
   * Starts a task of kind `plan`, which requests one small page of the period. Its `plan` says what a download would
   * take, in records, time and disk space. The task fails as a page does.
   */
  'downloads/start-plan': operation(
    Type.Object({ connectionId: Type.String(), report: DetailKindSchema, period: Period }),
    Type.Object({ taskId: Type.String() }),
  ),
  /** Every detail snapshot's download, the newest first. */
  'downloads/list': operation(
    Type.Object({ connectionId: Type.Union([Type.String(), Type.Null()]) }),
    Type.Array(Download),
  ),
  /** Stops a queued or running download where it is, also over a restart. One that has ended is left as it is. */
  'downloads/pause': operation(SnapshotId, Download),
  /** Goes on from the stored cursor, as a new task. Fails with `downloads.not-resumable` when nothing is left to fetch. */
  'downloads/resume': operation(SnapshotId, Started),
  /** Ends a queued, running or paused download; what arrived stays, and `downloads/resume` can still go on. */
  'downloads/cancel': operation(SnapshotId, Download),
  /**
   * As resume; and where there is no cursor to go on from, such as after a repeated one, reads the pages again
   * from the start and adds what is missing.
   */
  'downloads/retry': operation(SnapshotId, Started),
  /** Downloads a snapshot's period anew into a snapshot of its own, whose `refreshOf` names the old one; `snapshots/compare` says what changed. */
  'downloads/refresh': operation(SnapshotId, Started),
  /** Periods of a span, up to now, that no settled complete snapshot and no download under way covers; at most 100, oldest first. */
  'downloads/find-holes': operation(Span, Type.Array(Period)),
  /** Queues a download for each of those periods. */
  'downloads/fetch-holes': operation(Span, Type.Array(Started)),
  'downloads/read-certificate': operation(SnapshotId, Certificate),
  /** The certificate as JSON text, and a name for its file. */
  'downloads/export-certificate': operation(
    SnapshotId,
    Type.Object({ fileName: Type.String(), text: Type.String() }),
  ),
};

/** A download changed in more than its progress, which `tasks/changed` tells. */
export const downloadsEvents = { 'downloads/changed': Download };
