import { REPORTS, type ReportField, type ReportKind } from '../../../../src-main/common/reporting/reports.ts';

/** Returns the name of a field as the specification spells it. */
export function toFieldName(field: string, report: ReportKind): string {
  const fields: Readonly<Record<string, ReportField>> = REPORTS[report].fields;
  return fields[field === 'dateMs' ? 'dateText' : field]?.wireName ?? field;
}
