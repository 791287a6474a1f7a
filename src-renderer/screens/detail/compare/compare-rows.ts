import type { AlignedRow } from './align-lines.ts';
import { isDifferent, type ComparedField } from './compare-records.ts';

/** Rows of one field that are shown: more would block the window. */
const MAX_ROWS = 1_500;

/** A row of the table; a number stands for that many equal lines that are left out. */
export type ShownRow = AlignedRow | number;

/** Returns what of a field is shown, and how many of its lines come behind that. */
export function toShownRows(
  { rows }: ComparedField,
  onlyDifferences: boolean,
): { readonly rows: readonly ShownRow[]; readonly restCount: number } {
  const shown: ShownRow[] = [];
  for (const row of rows) {
    if (!onlyDifferences || isDifferent(row)) shown.push(row);
    else if (typeof shown.at(-1) === 'number') shown[shown.length - 1] = (shown.at(-1) as number) + 1;
    else shown.push(1);
  }
  return { rows: shown.slice(0, MAX_ROWS), restCount: Math.max(0, shown.length - MAX_ROWS) };
}
