import { isSpreadsheetFormula } from '../../src-main/common/csv-habits.ts';
import {
  MAX_CASE_TITLE,
  MAX_PART_COLUMNS,
  MAX_PART_ROWS,
  MAX_PART_VALUE,
  type PartContent,
  type PartTable,
} from '../../src-main/common/model/cases/case.ts';

type Cell = string | number | boolean | null;
type Rows = readonly (readonly Cell[])[];
interface Column {
  readonly name: string;
  readonly kind: string;
}
type NamedColumn = Pick<Column, 'name'> & Partial<Column>;

/** Returns a text that no spreadsheet takes for a formula. */
function guard(text: string): string {
  return isSpreadsheetFormula(text) ? `'${text}` : text;
}

/** A number as text, or null for a text; decimals and large numbers come as text. */
function toNumber(cell: Cell, column: Partial<Column> | undefined): string | null {
  if (typeof cell === 'number') return String(cell);
  return column?.kind === 'number' && /^-?[\d.]+$/.test(String(cell)) ? String(cell) : null;
}

/**
 * Returns a table as tab-separated text with a line of names; cells that hold a tab, a line end or a quote are quoted, and
 * those that a spreadsheet would take for a formula are guarded.
 */
export function toTsv(columns: readonly NamedColumn[], rows: Rows): string {
  const quote = (text: string): string => (/[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const toCell = (cell: Cell, place: number): string => toNumber(cell, columns[place]) ?? guard(toText(cell));
  const lines = [columns.map(({ name }) => guard(name)), ...rows.map((row) => row.map(toCell))];
  return lines.map((cells) => `${cells.map(quote).join('\t')}\n`).join('');
}

/**
 * Returns a table as HTML, as a spreadsheet takes it from the clipboard: texts stay texts, with their zeros and all of their
 * digits, and numbers are numbers whatever sign its language puts before decimals. Without columns it has no line of names.
 */
export function toHtmlTable(columns: readonly NamedColumn[], rows: Rows): string {
  const escape = (text: string): string =>
    text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/\r\n?|\n/g, '<br>');
  const toCell = (cell: Cell, place: number): string => {
    const number = toNumber(cell, columns[place]);
    if (number !== null) return `<td x:num="${number}">${number}</td>`;
    // Whatever its form, a time is one that can be reckoned with.
    if (columns[place]?.kind === 'time') return `<td>${escape(guard(toText(cell)))}</td>`;
    return `<td style="mso-number-format:'\\@';white-space:pre-wrap">${escape(guard(toText(cell)))}</td>`;
  };
  const names = columns.map(({ name }) => `<th>${escape(guard(name))}</th>`).join('');
  const lines = [names, ...rows.map((row) => row.map(toCell).join(''))].filter((line) => line !== '');
  const body = lines.map((line) => `<tr>${line}</tr>`).join('');
  return `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><meta charset="utf-8"><table>${body}</table></html>`;
}

/**
 * Returns a table as CSV by RFC 4180. Texts are quoted, and guarded where a spreadsheet would take them for a formula; numbers
 * are bare, nothing is an empty cell.
 */
export function toCsv(columns: readonly Column[], rows: Rows): string {
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const toCell = (cell: Cell, place: number): string => {
    if (cell === null) return '';
    return toNumber(cell, columns[place]) ?? quote(guard(String(cell)));
  };
  const lines = [columns.map(({ name }) => quote(guard(name))), ...rows.map((row) => row.map(toCell))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Returns a value as text; nothing as none. */
export function toText(cell: Cell): string {
  return cell === null ? '' : String(cell);
}

type PartColumn = PartTable['columns'][number];

const MAX_NAME = 500;
export const NO_CONTENT: PartContent = { facts: [], table: null, picture: null, statement: null };

/** A table as a part keeps it: its first rows, each value as it was shown. */
export function toPartTable(
  columns: readonly PartColumn[],
  rows: readonly (readonly Cell[])[],
  rowCount = rows.length,
): PartTable {
  const kept = columns.slice(0, MAX_PART_COLUMNS);
  return {
    columns: kept.map((column) => ({ ...column, name: column.name.slice(0, MAX_NAME) })),
    rows: rows
      .slice(0, MAX_PART_ROWS)
      .map((row) => kept.map((_column, place) => toValue(row[place] ?? null))),
    rowCount,
  };
}

/** Facts as a part keeps them; those without a value are left out. */
export function toPartFacts(facts: PartContent['facts']): PartContent['facts'] {
  return facts
    .filter(({ value }) => value !== '')
    .map((fact) => ({ ...fact, name: fact.name.slice(0, MAX_NAME), value: toValue(fact.value) }));
}

function toValue(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  return text.length <= MAX_PART_VALUE ? text : `${text.slice(0, MAX_PART_VALUE - 1)}…`;
}

/** A title that fits. */
export function toPartTitle(...words: readonly string[]): string {
  const joined = words.filter((word) => word !== '').join(', ');
  const title = joined.charAt(0).toLocaleUpperCase() + joined.slice(1);
  return title.length <= MAX_CASE_TITLE ? title : `${title.slice(0, MAX_CASE_TITLE - 1)}…`;
}
