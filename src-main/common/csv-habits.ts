import { isTimeZone } from './time/civil-time.ts';

/** The line by which a spreadsheet is told what separates the cells. */
const SEPARATOR_LINE = /^\ufeff?"?sep=."?(?:\r\n|\n|\r)/iu;
const ZONED_DATE = /^date \((.+)\)$/iu;

/** The line `sep=;` that some spreadsheets write before the header, with its line end; empty where there is none. */
export function findSeparatorLine(text: string): string {
  return SEPARATOR_LINE.exec(text)?.[0] ?? '';
}

/** True for a header with spaces behind each separator: they belong to no cell, and a quotation mark may follow them. */
export function isSpacedHeader(cells: readonly string[]): boolean {
  return cells.length > 1 && cells.slice(1).every((cell) => /^ +\S/u.test(cell));
}

/** The names of a header without what a spreadsheet leaves at its end: columns that have no name. */
export function dropUnnamedEnd(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
}

/** The zone of a column `Date (UTC)`, as an export names the date that the clock of a zone shows; null for any other. */
export function findDateZone(name: string): string | null {
  const [, zone = ''] = ZONED_DATE.exec(name) ?? [];
  return isTimeZone(zone) ? zone : null;
}

// Blanks, control characters, marks without width and the replacement mark: a spreadsheet may drop them before it looks.
const SKIPPED = String.raw`[\x01-\x08\x0e-\x1f \x7f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufffd]`;
const DANGEROUS = String.raw`[=+\-@\t\r\n\0\v\f\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]`;
// No `m` flag: the first character of the cell counts, not that of each line.
/** The expression that finds such a text. */
export const FORMULA_PATTERN = `^${SKIPPED}*${DANGEROUS}`;
const FORMULA = new RegExp(FORMULA_PATTERN);

/** True for a text that a spreadsheet would take for a formula. */
export function isSpreadsheetFormula(text: string): boolean {
  return FORMULA.test(text);
}
