import { Type } from 'typebox';
import { Period } from '../model/period.ts';
import { DirectionSchema, Snapshot } from '../model/snapshot.ts';
import { Summary } from '../model/summary.ts';
import { operation } from './operation.ts';

const SnapshotId = Type.Object({ snapshotId: Type.Integer() });

export const summariesOperations = {
  /** Fetches a summary report into the cache. */
  'summaries/fetch': operation(
    Type.Object({ connectionId: Type.String(), direction: DirectionSchema, period: Period }),
    Snapshot,
  ),
  /** Groups of a cached summary snapshot. */
  'summaries/read': operation(SnapshotId, Summary),
  /** Groups computed from a cached detail snapshot, grouped as the service groups. */
  'summaries/compute': operation(SnapshotId, Summary),
};
