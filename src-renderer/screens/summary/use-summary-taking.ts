import { computed, type ComputedRef } from 'vue';
import { toEndMs, type Period } from '../../../src-main/common/model/period.ts';
import type { Connection } from '../../../src-main/common/model/connections/connection.ts';
import { type Snapshot, toKnownTenant } from '../../../src-main/common/model/cache/snapshot.ts';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { toComputedStatement, toReportedStatement } from '../../../src-main/common/sql/view-statements.ts';
import { toExportSubject, type ExportSubject } from '../../components/dialogs/export/export-choices.ts';
import { useSummariesStore } from '../../stores/analysis/summaries.ts';
import { isOnGroups } from './groups/group-conditions.ts';
import type { Source } from './use-summary.ts';

interface Input {
  readonly direction: Direction;
  readonly source: Source;
  readonly reportedSnapshot: Snapshot | null;
  readonly period: Period | null;
  readonly zone: string;
  readonly connection: Pick<Connection, 'kind' | 'tenant'> | null;
  readonly filter: RecordFilter;
}

/** What can be taken from a Summary screen: a file, or a statement for the SQL screen. */
export function useSummaryTaking(readInput: () => Input): {
  readonly exportSubject: ComputedRef<ExportSubject | null>;
  makeStatement(): string;
} {
  const summaries = useSummariesStore();

  const exportSubject = computed<ExportSubject | null>(() => {
    const { source, reportedSnapshot, period, connection } = readInput();
    if (reportedSnapshot !== null) return toExportSubject(reportedSnapshot);
    const { cached } = summaries;
    if (source === 'reported' || period === null || connection === null || cached === null) return null;
    const { scope, summary } = cached;
    const report = scope.report === 'inbound-detail' ? 'inbound-summary' : 'outbound-summary';
    const tenant = toKnownTenant(connection.tenant, connection.kind === 'imported');
    return { scope, report, tenant, period, recordCount: summary.groups.length, isComputed: true };
  });

  /** The groups that are shown, but for those that the words in the field leave out. */
  function makeStatement(): string {
    const { direction, source, period, zone, filter } = readInput();
    const clock = { zone, fromMs: period?.fromMs ?? 0, toMs: period === null ? 0 : toEndMs(period) };
    const own = { conditions: filter.conditions.filter(isOnGroups) };
    return source === 'reported'
      ? toReportedStatement(direction, own, clock)
      : toComputedStatement(direction, own, clock);
  }

  return { exportSubject, makeStatement };
}
