import { isSpreadsheetFormula } from '../../src-main/common/spreadsheet-formula.ts';

type Cell = string | number | boolean | null;
type Rows = readonly (readonly Cell[])[];
interface Column {
  readonly name: string;
  readonly kind: string;
}

/** Returns a table as tab-separated text with a line of names; cells that hold a tab, a line end or a quote are quoted. */
export function toTsv(columns: readonly Pick<Column, 'name'>[], rows: Rows): string {
  const quote = (text: string): string => (/[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => row.map(toText))];
  return lines.map((cells) => `${cells.map(quote).join('\t')}\n`).join('');
}

/**
 * Returns a table as CSV by RFC 4180. Texts are quoted, and guarded where a spreadsheet would take them for a formula; numbers
 * are bare, nothing is an empty cell.
 */
export function toCsv(columns: readonly Column[], rows: Rows): string {
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const guard = (text: string): string => (isSpreadsheetFormula(text) ? `'${text}` : text);
  const toCell = (cell: Cell, place: number): string => {
    if (cell === null) return '';
    if (typeof cell === 'number') return String(cell);
    // Decimals and large numbers come as text.
    if (columns[place]?.kind === 'number' && /^-?[\d.]+$/.test(String(cell))) return String(cell);
    return quote(guard(String(cell)));
  };
  const lines = [columns.map(({ name }) => quote(guard(name))), ...rows.map((row) => row.map(toCell))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Returns a value as text; nothing as none. */
export function toText(cell: Cell): string {
  return cell === null ? '' : String(cell);
}
