import { stringify } from 'csv-stringify/sync';
import type { AlertLogEntry } from '../../common/model/alerts/alert-state.ts';
import { guardCsvText } from '../exports/formats/guard-csv-text.ts';

const HEAD = [
  'Time (UTC)',
  'Event',
  'Value',
  'Level',
  'Fired (UTC)',
  'Counted',
  'Of',
  'Worst',
  'Notification',
  'Condition',
] as const;

/** Returns the log of a rule as CSV by RFC 4180, oldest first, times in UTC. */
export function writeLogCsv(entries: readonly AlertLogEntry[]): string {
  const rows = entries.map(({ atMs, kind, value, level, sinceMs, figures, notice, condition }) => [
    toTimeText(atMs),
    kind,
    value === undefined ? null : value === null ? 'none' : guardCsvText(String(value)),
    level ?? null,
    sinceMs === undefined ? null : toTimeText(sinceMs),
    figures?.hits ?? null,
    figures?.total ?? null,
    figures?.peak ?? null,
    notice,
    condition === undefined ? null : guardCsvText(JSON.stringify(condition)),
  ]);
  return stringify([[...HEAD], ...rows], { record_delimiter: '\r\n', quoted_string: true });
}

function toTimeText(atMs: number): string {
  return new Date(atMs).toISOString();
}
