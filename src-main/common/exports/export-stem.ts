import { toWireDate } from '../reporting/wire-documents.ts';
import type { Period } from '../model/period.ts';
import type { RecordFilter } from '../model/records/record-filter.ts';
import type { ExportFormat } from '../model/exports/export-options.ts';
import { createQueryClock } from '../query/query-values.ts';
import { writeQuery } from '../query/write-query.ts';

/** What of an export its file is named after. */
export interface NamedExport {
  readonly report: string;
  /** Null where it is not known. */
  readonly tenant: number | null;
  readonly period: Period;
  readonly isComputed?: boolean;
  /** Something of the period isn't cached. */
  readonly isIncomplete?: boolean;
}

/** What the name of a file ends in that something is missing from. */
export const INCOMPLETE_ENDING = '_incomplete';

/**
 * Returns the name of an export's file without its ending, such as `inbound-detail_1001_2026-11-19`: days in the zone,
 * then what it is filtered by.
 */
export function toExportStem(
  { report, tenant, period, isComputed = false }: NamedExport,
  format: ExportFormat,
  zone: string,
  filter?: RecordFilter,
): string {
  const [firstDay, lastDay] = [period.fromMs, period.toMs].map((atMs) => toWireDate(atMs, zone).slice(0, 10));
  const parts = [
    format === 'evidence' ? 'evidence' : null,
    isComputed ? `${report}-computed` : report,
    tenant,
    firstDay === lastDay ? firstDay : `${firstDay}_to_${lastDay}`,
  ];
  // A filter may name whom the pack doesn't.
  const filterName = format === 'evidence' ? '' : nameFilter(filter, zone);
  return `${parts.filter((part) => part !== null).join('_')}${filterName}`;
}

const MAX_CHARACTERS = 60;

/** Returns a part of a file's name that tells what it was filtered by, dates in the zone; empty without a filter. */
function nameFilter(filter: RecordFilter | undefined, zone: string): string {
  if (filter === undefined || filter.conditions.length === 0) return '';
  const words = writeQuery(filter, createQueryClock(zone)).replace(/[^\p{L}\p{N}]+/gu, '-');
  return `_filtered_${words.slice(0, MAX_CHARACTERS).toWellFormed()}`.replace(/-+$/, '');
}
