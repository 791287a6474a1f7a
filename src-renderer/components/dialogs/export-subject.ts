import type { Period } from '../../../src-main/common/model/period.ts';
import type { RecordScope } from '../../../src-main/common/model/record-scope.ts';
import type { Snapshot } from '../../../src-main/common/model/snapshot.ts';
import type { ReportKind } from '../../../src-main/common/reporting/reports.ts';

/** What an export is of: a snapshot, or everything cached of a period. */
export interface ExportSubject {
  readonly scope: RecordScope;
  readonly report: ReportKind;
  readonly tenant: number;
  readonly period: Period;
  readonly recordCount: number;
}

/** A snapshot as the subject of an export. */
export function toExportSubject({ id, report, tenant, period, recordCount }: Snapshot): ExportSubject {
  return { scope: { snapshotId: id }, report, tenant, period, recordCount };
}
