import type { Input } from '../../../src-main/common/contract/index.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import type { RecordScope } from '../../../src-main/common/model/records/record-scope.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { ReportKind } from '../../../src-main/common/reporting/reports.ts';

/** A result of SQL that can be read. */
export type OpenResult = Omit<Input<'exports/start-result'>, 'format' | 'layout'>;

/** What an export is of: a snapshot, everything cached of a period, or a result of SQL. */
export interface ExportSubject {
  /** The records, or the open result of SQL. */
  readonly scope: RecordScope | OpenResult;
  readonly report: ReportKind | 'sql';
  readonly tenant: number;
  readonly period: Period;
  readonly recordCount: number;
  /** The summary that is computed of the scope's records. */
  readonly isComputed?: boolean;
}

/** A snapshot as the subject of an export. */
export function toExportSubject({ id, report, tenant, period, recordCount }: Snapshot): ExportSubject {
  return { scope: { snapshotId: id }, report, tenant, period, recordCount };
}
