import { Type } from 'typebox';
import { Reconciliation } from '../../model/analysis/reconciliation.ts';
import { Period } from '../../model/period.ts';
import { RecordScope } from '../../model/records/record-scope.ts';
import { DirectionSchema } from '../../model/cache/snapshot.ts';
import { Summary } from '../../model/records/summary.ts';
import { FillingTask, operation, SnapshotId } from '../operation.ts';

export const summariesOperations = {
  /**
   * Starts a task of kind `summary` that fetches a summary report into a new snapshot. What arrived before a cancel
   * stays, as an incomplete snapshot. One that `isLook` is only shown: it takes the place of the one before, is in no
   * list, and leaves nothing behind where it fails. `snapshots/annotate` and an export keep it.
   */
  'summaries/start-fetch': operation(
    Type.Object({
      connectionId: Type.String(),
      direction: DirectionSchema,
      period: Period,
      isLook: Type.Optional(Type.Boolean()),
    }),
    FillingTask,
  ),
  /** Groups of a cached summary snapshot. */
  'summaries/read': operation(SnapshotId, Summary),
  /** Groups computed from cached detail records, grouped as the service groups. */
  'summaries/compute': operation(RecordScope, Summary),
  /** A reported summary against the records cached of exactly its period, group by group, and why they differ. */
  'summaries/reconcile': operation(SnapshotId, Reconciliation),
};
