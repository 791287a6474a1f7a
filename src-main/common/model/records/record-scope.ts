import { Type, type Static } from 'typebox';
import { DetailKindSchema } from '../cache/snapshot.ts';

/** Everything cached of a report in [fromMs, toMs): the union of all snapshots, each moment counted once (decision 33). */
export const PeriodScope = Type.Object({
  connectionId: Type.String(),
  report: DetailKindSchema,
  fromMs: Type.Integer(),
  /** Exclusive. */
  toMs: Type.Integer(),
});
export type PeriodScope = Static<typeof PeriodScope>;

/** The records of one snapshot, those without a date included. */
const SnapshotScope = Type.Object({ snapshotId: Type.Integer() });

/** What a question about records is about. */
export const RecordScope = Type.Union([SnapshotScope, PeriodScope]);
export type RecordScope = Static<typeof RecordScope>;
