import type { ExportColumn } from './export-columns.ts';

const MAX_CELL_CHARACTERS = 120;

/** A cell as a preview shows it: as it will be written, long texts cut. */
export function toPreviewCell<Row>({ read }: ExportColumn<Row>, row: Row): string | number | null {
  const value = read(row);
  if (value === null || typeof value === 'number') return value;
  const text = String(value);
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text;
}
