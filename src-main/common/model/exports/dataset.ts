import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

/** The reports that a dataset can hold. */
export const DATASET_REPORTS = ['inbound-detail', 'outbound-detail'] as const;
export const DatasetReport = Type.Enum([...DATASET_REPORTS]);
export type DatasetReport = Static<typeof DatasetReport>;

/** What the last update of a dataset did. */
const DatasetUpdate = Type.Object({
  endedAtMs: Type.Integer(),
  /** Days in the folder that hold records, of each report. */
  days: Type.Integer(),
  records: Type.Integer(),
  bytes: Type.Integer(),
  /** Days that this update wrote. */
  written: Type.Integer(),
  /** Days of which something is not cached, or not settled yet. */
  incomplete: Type.Integer(),
});

/** A folder of Parquet files that is kept like the cache: one file for each report and day. */
export const Dataset = Type.Object({
  id: Type.String(),
  connectionId: Type.String(),
  /** Absolute path of the folder that was chosen; that of the connection is inside it. */
  folder: Type.String(),
  reports: Type.Array(DatasetReport, { minItems: 1, maxItems: DATASET_REPORTS.length }),
  /** It is updated by itself while the application runs. */
  isKept: Type.Boolean(),
  last: Nullable(DatasetUpdate),
});
export type Dataset = Static<typeof Dataset>;
export type DatasetUpdate = Static<typeof DatasetUpdate>;
