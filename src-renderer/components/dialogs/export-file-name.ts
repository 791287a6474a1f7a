import type { ExportSubject } from './export-subject.ts';

/** Returns the default name of an export's file. */
export function toExportFileName(subject: ExportSubject, format: 'csv' | 'json'): string {
  const firstDay = subject.period.startDate.slice(0, 10);
  const lastDay = subject.period.endDate.slice(0, 10);
  const days = firstDay === lastDay ? firstDay : `${firstDay}_to_${lastDay}`;
  return `${subject.report}_${subject.tenant}_${days}.${format}`;
}
