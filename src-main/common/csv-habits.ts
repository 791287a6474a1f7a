import { isTimeZone } from './time/time-zones.ts';

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
