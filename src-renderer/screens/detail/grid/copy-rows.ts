import { isBodyField } from '../../../../src-main/common/model/records/body-path.ts';
import type { RecordDetail, RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { formatRecordMoment, nameZonedField } from '../../../../src-main/common/time/civil-time.ts';
import { listFields, type Direction } from '../../../../src-main/common/reporting/reports.ts';
import { toTsv, toHtmlTable } from '../../../format/table-text.ts';
import { shallowRef } from 'vue';
import { useTableClipboard, type WriteTable } from '../../../composables/copy-and-save.ts';
import { useClockStore } from '../../../stores/window/times.ts';
import { useRecordsStore } from '../../../stores/records/records.ts';

export const ROW_FORMATS = ['tsv', 'markdown', 'json'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];
/** What to copy: the focused cell, or the selected rows in a format. */
export type CopyTarget = 'cell' | RowFormat;

type CopiedRecord = RecordRow | RecordDetail;
type Value = string | number | null;

/** True when a column shows a part of a text that has to be read for a copy. */
function isPreview(columnId: string): boolean {
  return columnId === 'payload';
}

/** Returns the field of a record that a column shows, as it is cached; its date as the clock in the zone shows it. */
export function readValue(record: CopiedRecord, columnId: string, zone: string): Value {
  if (columnId === 'dateMs') {
    return record.dateMs === null ? record.dateText : formatRecordMoment(record.dateMs, zone);
  }
  if (isBodyField(columnId)) return record.values?.[columnId] ?? null;
  const value: unknown = record[columnId as keyof CopiedRecord];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** The columns of a direction's table to copy, in their order; dates as the clock in the zone shows them. */
interface CopiedColumns {
  readonly columnIds: readonly string[];
  readonly direction: Direction;
  readonly zone: string;
}

/** A table of records under the service's names of their fields. */
interface CopiedTable {
  readonly columns: readonly { readonly name: string; readonly kind: 'time' | 'other' }[];
  readonly rows: readonly (readonly Value[])[];
}

/** Returns records as a table with the columns in the given order. The date's name tells the zone. */
function toCopiedTable(
  records: readonly CopiedRecord[],
  { columnIds, direction, zone }: CopiedColumns,
): CopiedTable {
  const fields = new Map<string, { readonly wireName: string }>(listFields(`${direction}-detail`));
  const names = columnIds.map((id) =>
    id === 'dateMs'
      ? nameZonedField(fields.get('dateText')?.wireName ?? id, zone)
      : (fields.get(id)?.wireName ?? id),
  );
  return {
    columns: names.map((name, place) => ({ name, kind: columnIds[place] === 'dateMs' ? 'time' : 'other' })),
    rows: records.map((record) => columnIds.map((id) => readValue(record, id, zone))),
  };
}

/** Returns records as text, with the columns in the given order. */
export function formatRecords(
  format: RowFormat,
  records: readonly CopiedRecord[],
  copied: CopiedColumns,
): string {
  const { columns, rows } = toCopiedTable(records, copied);
  const names = columns.map(({ name }) => name);
  if (format === 'json') {
    const objects = rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
    return `${JSON.stringify(objects, null, 2)}\n`;
  }
  if (format === 'markdown') return toMarkdown(names, rows);
  return toTsv(columns, rows);
}

/** Returns a Markdown table. Characters with a meaning there are escaped, so that a value is shown and not obeyed. */
export function toMarkdown(names: readonly string[], rows: readonly (readonly Value[])[]): string {
  const toCell = (value: Value): string =>
    String(value ?? '')
      .replace(/[\\`*_{}[\]<>#|~&!$]/g, '\\$&')
      .replace(/\r\n|\r|\n/g, '<br>');
  const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const head = toLine(names.map(toCell)) + toLine(names.map(() => '---'));
  return head + rows.map((row) => toLine(row.map(toCell))).join('');
}

/** One cell of the table. */
export interface CopiedCell {
  readonly row: RecordRow;
  readonly columnId: string;
}

/** What is picked in the table. */
export interface GridPick {
  /** The selected rows, from the top. */
  readonly rows: readonly RecordRow[];
  /** The focused cell. */
  readonly cell: CopiedCell | null;
  /** Columns in view, in order. */
  readonly columnIds: readonly string[];
}

const NO_PICK: GridPick = { rows: [], cell: null, columnIds: [] };

/** Copies what is picked in a table, with values as they are cached, dates in the clock, and texts in full. */
export function useRowCopy(readDirection: () => Direction, write: WriteTable = useTableClipboard()) {
  const clock = useClockStore();
  const records = useRecordsStore();
  const pick = shallowRef<GridPick>(NO_PICK);

  /** Values at paths are those of the rows. */
  async function readWhole(
    rows: readonly RecordRow[],
    columnIds: readonly string[],
  ): Promise<readonly (RecordRow | RecordDetail)[]> {
    if (!columnIds.some(isPreview)) return rows;
    const whole = await records.readRecords(rows, true);
    return whole.map((record, place) => ({ ...record, values: rows[place]?.values ?? {} }));
  }

  async function copyCell({ row, columnId }: CopiedCell): Promise<void> {
    const [whole] = await readWhole([row], [columnId]);
    if (whole === undefined) return;
    const value = readValue(whole, columnId, clock.zone);
    // A value by itself is pasted anywhere: only what a spreadsheet takes of it is guarded.
    await write(String(value ?? ''), toHtmlTable([], [[value]]));
  }

  async function copy(target: CopyTarget): Promise<void> {
    const { rows, cell, columnIds } = pick.value;
    if (target === 'cell') {
      if (cell !== null) await copyCell(cell);
      return;
    }
    const whole = await readWhole(rows, columnIds);
    const columns = { columnIds, direction: readDirection(), zone: clock.zone };
    if (whole.length === 0) return;
    const table = toCopiedTable(whole, columns);
    const html = target === 'tsv' ? toHtmlTable(table.columns, table.rows) : null;
    await write(formatRecords(target, whole, columns), html);
  }

  return { pick, copy, copyCell };
}
