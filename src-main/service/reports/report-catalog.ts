import { SPECIFIED_REPORT_IDENTIFIERS, type Direction } from '../../common/reporting/reports.ts';

/** A report that can be asked for. A summary holds the groups of one direction or of both (decision 11). */
export interface ReportDefinition {
  readonly idReport: string;
  readonly name: string;
  readonly kind: 'detail' | 'summary';
  readonly directions: readonly Direction[];
}

/** The reports of the service; the outbound summary shares an identifier unless it has one of its own. */
export function createReportCatalog(outboundSummaryId: string | null): readonly ReportDefinition[] {
  const ids = SPECIFIED_REPORT_IDENTIFIERS;
  const details: ReportDefinition[] = [
    {
      idReport: ids['inbound-detail'],
      name: 'Inbound health detail',
      kind: 'detail',
      directions: ['inbound'],
    },
    {
      idReport: ids['outbound-detail'],
      name: 'Outbound health detail',
      kind: 'detail',
      directions: ['outbound'],
    },
  ];
  const idReport = ids['inbound-summary'];
  if (outboundSummaryId === null) {
    return [
      ...details,
      { idReport, name: 'Health summary', kind: 'summary', directions: ['inbound', 'outbound'] },
    ];
  }
  return [
    ...details,
    { idReport, name: 'Inbound health summary', kind: 'summary', directions: ['inbound'] },
    {
      idReport: outboundSummaryId.toUpperCase(),
      name: 'Outbound health summary',
      kind: 'summary',
      directions: ['outbound'],
    },
  ];
}

/** Finds a report by its identifier in any letter case (decision 20). */
export function findReport(
  catalog: readonly ReportDefinition[],
  identifier: string,
): ReportDefinition | undefined {
  const wanted = identifier.toUpperCase();
  return catalog.find((report) => report.idReport === wanted);
}
