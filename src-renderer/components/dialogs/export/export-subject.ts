import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { Period } from '../../../../src-main/common/model/period.ts';
import { toKnownTenant } from '../../../../src-main/common/model/cache/imported.ts';
import type { RecordScope } from '../../../../src-main/common/model/records/record-scope.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import type { ReportKind } from '../../../../src-main/common/reporting/reports.ts';

/** A result of SQL, or a list of conversations or clients, that can be read. */
export type OpenResult = Omit<Input<'exports/start-result'>, 'format' | 'layout'>;

/** What a table that is no report's is of. */
type ResultKind = 'sql' | NonNullable<OpenResult['content']>;

/** What an export is of: a snapshot, everything cached of a period, or a result of SQL. */
export interface ExportSubject {
  /** The records, or the open result of SQL. */
  readonly scope: RecordScope | OpenResult;
  readonly report: ReportKind | ResultKind;
  /** Null where the records were imported from a file that doesn't say it. */
  readonly tenant: number | null;
  readonly period: Period;
  readonly recordCount: number;
  /** The summary that is computed of the scope's records. */
  readonly isComputed?: boolean;
  /** Something of the period isn't cached. */
  readonly isIncomplete?: boolean;
  /** Paths among the columns of its table. */
  readonly paths?: readonly string[];
}

/** A snapshot as the subject of an export. */
export function toExportSubject(snapshot: Snapshot): ExportSubject {
  const { id, report, period, recordCount } = snapshot;
  const tenant = toKnownTenant(snapshot.tenant, snapshot.imported !== undefined);
  const isIncomplete = snapshot.state !== 'complete';
  return { scope: { snapshotId: id }, report, tenant, period, recordCount, isIncomplete };
}

/** Returns whether the records of a subject have payloads: those of a summary and of a result of SQL have none. */
export function hasPayload({ report }: ExportSubject): boolean {
  return report.endsWith('detail');
}

/** Returns whether it is a report's, rather than a result of SQL, conversations or clients. */
export function isReport(report: ExportSubject['report']): report is ReportKind {
  return report.endsWith('detail') || report.endsWith('summary');
}

/** Returns the connection and the report that a schedule repeats; null where a subject can't be repeated. */
export function findRepeatable(
  { scope, report, isComputed = false }: ExportSubject,
  activeConnectionId: string | undefined,
): { readonly connectionId: string; readonly report: ReportKind } | null {
  if ('resultId' in scope || !isReport(report)) return null;
  // A reported summary is of one period only.
  if (report.endsWith('summary') && !isComputed) return null;
  const connectionId = 'connectionId' in scope ? scope.connectionId : activeConnectionId;
  return connectionId === undefined ? null : { connectionId, report };
}
