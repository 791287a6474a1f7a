import type { SqlCell, SqlColumn } from '../../../../src-main/common/model/sql.ts';
import { isSpreadsheetFormula } from '../../../../src-main/common/reporting/spreadsheet-formula.ts';

type Rows = readonly (readonly SqlCell[])[];

/** A result as tab-separated text with a line of names; cells that hold a tab, a line end or a quote are quoted. */
export function toTsv(columns: readonly Pick<SqlColumn, 'name'>[], rows: Rows): string {
  const quote = (text: string): string => (/[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => row.map(toText))];
  return lines.map((cells) => `${cells.map(quote).join('\t')}\n`).join('');
}

/**
 * A result as CSV by RFC 4180. Texts are quoted, and guarded where a spreadsheet would take them for a formula; numbers
 * are bare, nothing is an empty cell.
 */
export function toCsv(columns: readonly SqlColumn[], rows: Rows): string {
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const guard = (text: string): string => (isSpreadsheetFormula(text) ? `'${text}` : text);
  const toCell = (cell: SqlCell, place: number): string => {
    if (cell === null) return '';
    if (typeof cell === 'number') return String(cell);
    // Decimals and large numbers come as text.
    if (columns[place]?.kind === 'number' && /^-?[\d.]+$/.test(String(cell))) return String(cell);
    return quote(guard(String(cell)));
  };
  const lines = [columns.map(({ name }) => quote(guard(name))), ...rows.map((row) => row.map(toCell))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** A value as text; nothing as none. */
export function toText(cell: SqlCell): string {
  return cell === null ? '' : String(cell);
}
