import { useClipboard } from '@vueuse/core';
import { shallowRef } from 'vue';
import type { RecordRow } from '../../../../src-main/common/model/record.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { useRecordsStore } from '../../../stores/records.ts';
import { formatRecords, isPreview, readValue, type CopyTarget } from './copy-text.ts';

/** What is picked in the table. */
export interface GridPick {
  /** The selected rows, from the top. */
  readonly rows: readonly RecordRow[];
  /** The focused cell. */
  readonly cell: { readonly row: RecordRow; readonly columnId: string } | null;
  /** Columns in view, in order. */
  readonly columnIds: readonly string[];
}

const NO_PICK: GridPick = { rows: [], cell: null, columnIds: [] };

/** Copies what is picked in a table, with values as they are cached and texts in full. */
export function useRowCopy(
  readDirection: () => Direction,
  write: (text: string) => Promise<void> = useClipboard({ legacy: true }).copy,
) {
  const records = useRecordsStore();
  const pick = shallowRef<GridPick>(NO_PICK);

  async function copy(target: CopyTarget): Promise<void> {
    const { rows, cell, columnIds } = pick.value;
    const wanted =
      target === 'cell' ? cell && { rows: [cell.row], ids: [cell.columnId] } : { rows, ids: columnIds };
    if (wanted === null || wanted.rows.length === 0) return;
    const whole = wanted.ids.some(isPreview) ? await records.readRecords(wanted.rows) : wanted.rows;
    const [first] = whole;
    if (first === undefined) return;
    if (target === 'cell') await write(String(readValue(first, wanted.ids[0] ?? '') ?? ''));
    else await write(formatRecords(target, whole, wanted.ids, readDirection()));
  }

  return { pick, copy };
}
