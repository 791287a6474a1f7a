import { useClipboard } from '@vueuse/core';
import { shallowRef } from 'vue';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { useClockStore } from '../../../stores/window/clock.ts';
import { useRecordsStore } from '../../../stores/records/records.ts';
import { formatRecords, isPreview, readValue, type CopyTarget } from './copy-text.ts';

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
export function useRowCopy(
  readDirection: () => Direction,
  write: (text: string) => Promise<void> = useClipboard({ legacy: true }).copy,
) {
  const clock = useClockStore();
  const records = useRecordsStore();
  const pick = shallowRef<GridPick>(NO_PICK);

  const readWhole = (rows: readonly RecordRow[], columnIds: readonly string[]) =>
    columnIds.some(isPreview) ? records.readRecords(rows, true) : Promise.resolve(rows);

  async function copyCell({ row, columnId }: CopiedCell): Promise<void> {
    const [whole] = await readWhole([row], [columnId]);
    if (whole !== undefined) await write(String(readValue(whole, columnId, clock.zone) ?? ''));
  }

  async function copy(target: CopyTarget): Promise<void> {
    const { rows, cell, columnIds } = pick.value;
    if (target === 'cell') {
      if (cell !== null) await copyCell(cell);
      return;
    }
    const whole = await readWhole(rows, columnIds);
    const columns = { columnIds, direction: readDirection(), zone: clock.zone };
    if (whole.length > 0) await write(formatRecords(target, whole, columns));
  }

  return { pick, copy, copyCell };
}
