import type { ExportSubject } from './export-subject.ts';

/** The name that an export is given, unless the person chooses another. */
export function toExportFileName(subject: ExportSubject, format: 'csv' | 'json'): string {
  const firstDay = subject.period.startDate.slice(0, 10);
  const lastDay = subject.period.endDate.slice(0, 10);
  const days = firstDay === lastDay ? firstDay : `${firstDay}_to_${lastDay}`;
  return `${subject.report}_${subject.tenant}_${days}.${format}`;
}
