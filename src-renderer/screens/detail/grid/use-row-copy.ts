import { shallowRef } from 'vue';
import type { RecordDetail, RecordRow } from '../../../../src-main/common/model/records/record.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { useTableClipboard, type WriteTable } from '../../../composables/use-table-clipboard.ts';
import { toHtmlTable } from '../../../format/table-text.ts';
import { useClockStore } from '../../../stores/window/clock.ts';
import { useRecordsStore } from '../../../stores/records/records.ts';
import { formatRecords, isPreview, readValue, toCopiedTable, type CopyTarget } from './copy-text.ts';

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
