import { isSpreadsheetFormula } from '../../../common/spreadsheet-formula.ts';

const NUMBER = /^-?\d{1,30}$/;

/**
 * Puts an apostrophe before a text that a spreadsheet would take for a formula: first character (after
 * blanks and invisible marks) `= + - @`, TAB, CR, LF, NUL, also full-width. Run it on the finished cell.
 */
export function guardCsvText(text: string): string {
  return isSpreadsheetFormula(text) ? `'${text}` : text;
}

/** As `guardCsvText`, but a text that is a whole number, such as an `ActionId` of -1, stays as it is. */
export function guardCsvDigits(text: string): string {
  return NUMBER.test(text) ? text : guardCsvText(text);
}
