import { toFileExtension, type ExportFormat } from '../../../src-main/common/model/exports/export-options.ts';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { nameFilter } from '../../../src-main/common/query/name-filter.ts';
import { formatExact } from '../../format/dates.ts';
import type { ExportSubject } from './export-subject.ts';

/** Returns the default name of an export's file; days in the zone. */
export function toExportFileName(
  subject: ExportSubject,
  format: ExportFormat,
  zone: string,
  filter?: RecordFilter,
): string {
  const report = subject.isComputed === true ? `${subject.report}-computed` : subject.report;
  const firstDay = formatExact(subject.period.fromMs, zone).slice(0, 10);
  const lastDay = formatExact(subject.period.toMs, zone).slice(0, 10);
  const days = firstDay === lastDay ? firstDay : `${firstDay}_to_${lastDay}`;
  const stem = subject.tenant === null ? `${report}_${days}` : `${report}_${subject.tenant}_${days}`;
  const extension = toFileExtension(format);
  // A filter may name whom the pack doesn't.
  return format === 'evidence'
    ? `evidence_${stem}.${extension}`
    : `${stem}${nameFilter(filter, zone)}.${extension}`;
}
