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

/** Marks that part the thousands of a number, besides the other one of comma and point. */
const GROUPS = String.raw`'\u2019 \u00a0\u202f`;
const GROUPED = new RegExp(`^-?[1-9]\\d{0,2}(?:[.,${GROUPS}]\\d{3})+(?:[.,]\\d+)?$`, 'u');
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/iu;

/** Which mark begins the fraction of the numbers of a file. */
export type DecimalSign = '.' | ',';

/** The number that a text shows, as JSON; null for any other text. */
export function readShownNumber(text: string, sign: DecimalSign): string | null {
  const whole = GROUPED.test(text)
    ? text.replaceAll(sign === '.' ? /[,'\u2019\s]/gu : /[.'\u2019\s]/gu, '')
    : text;
  const number = sign === ',' ? whole.replace(',', '.') : whole;
  return NUMBER.test(number) ? number : null;
}

/**
 * Collects how the numbers of a file are written. A mark before three digits may part the thousands; other numbers tell
 * which it is.
 */
export function createDecimalSignFinder() {
  const told = new Map<DecimalSign, string>();
  const untold = new Map<DecimalSign, string>();
  const note = (map: Map<DecimalSign, string>, sign: DecimalSign, text: string): void => {
    if (!map.has(sign)) map.set(sign, text);
  };
  return {
    add(text: string): void {
      const marks = text.match(/[.,]/gu) as DecimalSign[] | null;
      const last = marks?.at(-1);
      if (marks === null || last === undefined || !/^-?\d/u.test(text)) return;
      const isGroup = /^-?[1-9]\d{0,2}[.,]\d{3}$/u.test(text);
      if (isGroup) note(untold, last, text);
      else if (readShownNumber(text, last) !== null && marks.filter((mark) => mark === last).length === 1)
        note(told, last, text);
      else if (GROUPED.test(text) && marks.every((mark) => mark === last))
        note(told, last === '.' ? ',' : '.', text);
    },
    /** The sign; else texts that are no numbers of one file, or one that can be read in two ways. */
    find(separator: string): DecimalSign | readonly string[] {
      const [sign, ...others] = told.keys();
      if (sign !== undefined) return others.length === 0 ? sign : [...told.values()];
      if (untold.size === 2) return [...untold.values()];
      const [only, text] = [...untold.entries()][0] ?? ['.', ''];
      return only === ',' && separator === ',' ? [text] : only;
    },
  };
}
