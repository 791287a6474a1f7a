import type { Input } from '../../common/contract/index.ts';
import { createQueryClock } from '../../common/query/query-clock.ts';
import { writeQuery } from '../../common/query/write-query.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import type { ExportSubject } from './export-subject.ts';
import type { ExportAbout } from './formats/export-writer.ts';

/** What a file says about itself. */
export function describeExport(
  subject: ExportSubject,
  { zone: clock, filter, isSummary = false }: Pick<Input<'exports/start'>, 'zone' | 'filter' | 'isSummary'>,
  recordCount: number,
  nowMs: number,
): ExportAbout {
  const { report, tenant, period, unreadableCount } = subject;
  const isFiltered = filter.conditions.length > 0;
  const state = isFiltered && subject.state !== 'incomplete' ? 'filtered' : subject.state;
  const { startDate, endDate, zone } = period;
  const exportedAt = new Date(nowMs).toISOString();
  // A summary has no dates of records.
  const shown = clock === undefined || !isDetailKind(report) ? {} : { clock };
  return {
    report,
    ...(tenant === null ? {} : { tenant }),
    startDate,
    endDate,
    zone,
    ...shown,
    ...(isSummary ? { source: 'computed' as const } : {}),
    ...(isFiltered ? { filter: writeQuery(filter, createQueryClock(clock ?? zone)) } : {}),
    state,
    recordCount,
    ...(unreadableCount === 0 ? {} : { unreadableEntries: unreadableCount }),
    exportedAt,
  };
}
