import { shallowRef } from 'vue';
import type { RecordDetail, RecordRow } from '../../../../src-main/common/model/records/record.ts';
import type { Attempt } from '../../../composables/use-attempt.ts';
import { useRecordsStore } from '../../../stores/records/records.ts';
import { isSameRecord } from '../../../format/row-key.ts';
import { MAX_COMPARED, MIN_COMPARED } from './compare-records.ts';

/** Records that are compared side by side; null while none are. */
export function useComparedRecords(attempt: Attempt['attempt']) {
  const records = useRecordsStore();
  const compared = shallowRef<readonly RecordDetail[] | null>(null);

  /** Reads the rows with their texts and shows them; does nothing for fewer or more than can be compared. */
  async function compare(rows: readonly RecordRow[]): Promise<void> {
    if (!canCompare(rows)) return;
    await attempt(async () => {
      compared.value = await records.readRecords(rows, false);
    });
  }

  return { compared, compare };
}

/** True for as many rows as can be compared. */
export function canCompare(rows: readonly RecordRow[]): boolean {
  return rows.length >= MIN_COMPARED && rows.length <= MAX_COMPARED;
}

/** Returns the selected rows with one more, each once. */
export function withRow(rows: readonly RecordRow[], row: RecordRow): readonly RecordRow[] {
  return rows.some((other) => isSameRecord(other, row)) ? rows : [...rows, row];
}
