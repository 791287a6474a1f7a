import { REPORTS, type DetailKind } from '../../../../common/reporting/reports.ts';

/** The forms that the records of a pack have. */
export const RECORD_FORMATS = ['csv', 'ndjson'] as const;

/** Names a file of records: those that a pack is of, or (`other`) those of the other direction. */
export function toRecordPath(format: (typeof RECORD_FORMATS)[number], other?: DetailKind): string {
  return `records${other === undefined ? '' : `-${REPORTS[other].direction}`}.${format}`;
}
