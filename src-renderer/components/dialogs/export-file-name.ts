import type { Snapshot } from '../../../src-main/common/model/snapshot.ts';

/** The name that an export of the snapshot is given, unless the person chooses another. */
export function toExportFileName(snapshot: Snapshot, format: 'csv' | 'json'): string {
  const firstDay = snapshot.period.startDate.slice(0, 10);
  const lastDay = snapshot.period.endDate.slice(0, 10);
  const days = firstDay === lastDay ? firstDay : `${firstDay}_to_${lastDay}`;
  return `${snapshot.report}_${snapshot.tenant}_${days}.${format}`;
}
