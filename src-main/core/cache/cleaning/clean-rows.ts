import { isDetailKind, type ReportKind } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import type { PageRange } from '../read/stored-pages.ts';

const OWN = 'snapshot_id IN (SELECT snapshot_id FROM snapshots WHERE connection_id = ?)';
/** Texts that services sent, beside pages and their records: table, columns, and which rows are the connection's. */
const TEXTS: readonly (readonly [table: string, columns: readonly string[], own: string])[] = [
  ['remarks', ['detail'], OWN],
  ['set_aside', ['text'], OWN],
  ['downloads', ['failure'], OWN],
  ['pages', ['cursor_sent', 'cursor_received'], OWN],
  ['slices', ['next_cursor'], OWN],
  ['snapshots', ['name_visualization', 'id_report'], 'connection_id = ?'],
  ['status_samples', ['traffic', 'traffic_text'], 'connection_id = ?'],
  ['report_shapes', ['shape'], 'connection_id = ?'],
  ['error_patterns', ['pattern', 'family'], 'connection_id = ?'],
];
const GROUP_TEXTS = ['origin', 'session_id'];

/** Defines the function of SQL that the statements below clean texts with; anything but text stays as it is. */
export function defineCleaning(database: Database, clean: (text: string) => string): void {
  database.function('clean_text', (value: unknown) => (typeof value === 'string' ? clean(value) : value));
}

/** Cleans what a connection's services sent beside pages; returns how many rows changed. */
export function cleanTexts(database: Database, connectionId: string): number {
  let changed = 0;
  for (const [table, columns, own] of TEXTS) {
    for (const column of columns) {
      // Two patterns may be one without what is cleaned away.
      const sql = `UPDATE OR REPLACE ${table} SET ${column} = clean_text(${column})
        WHERE ${own} AND ${column} IS NOT NULL AND ${column} <> clean_text(${column})`;
      changed += database.prepare(sql).run(connectionId).changes;
    }
  }
  return changed;
}

/** Cleans the rows of a page whose body today's reader reads otherwise than they were stored. */
export function cleanRows(
  database: Database,
  { id, report }: { readonly id: number; readonly report: ReportKind },
  { firstSeq, recordCount }: PageRange,
): void {
  const end = firstSeq + recordCount;
  const toSet = (columns: readonly string[]): string =>
    columns.map((column) => `${column} = clean_text(${column})`).join(', ');
  if (!isDetailKind(report)) {
    const sql = `UPDATE summary_groups SET ${toSet(GROUP_TEXTS)} WHERE snapshot_id = ? AND seq >= ? AND seq < ?`;
    database.prepare(sql).run(id, firstSeq, end);
    return;
  }
  const { name, columns } = RECORD_TABLES[report];
  const all = [...columns.map(({ column }) => column), 'payload_preview'];
  const sql = `UPDATE ${name} SET ${toSet(all)} WHERE record_id >= ? AND record_id < ?`;
  database.prepare(sql).run(toRecordId(id, firstSeq), toRecordId(id, end));
}
