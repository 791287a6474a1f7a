import { isSpreadsheetFormula } from '../../../common/spreadsheet-formula.ts';

const NUMBER = /^-?\d{1,30}$/;

/**
 * Puts an apostrophe before a text that a spreadsheet would take for a formula: first character (after
 * blanks and invisible marks) `= + - @`, TAB, CR, LF, NUL, also full-width. Run it on the finished cell. A text that
 * has such apostrophes already gets one more, so that `removeGuard` gives back what was there.
 */
export function guardCsvText(text: string): string {
  return findGuard(text) === 'none' ? text : `'${text}`;
}

/** As `guardCsvText`, but a text that is a whole number, such as an `ActionId` of -1, stays as it is. */
export function guardCsvDigits(text: string): string {
  return NUMBER.test(text) ? text : guardCsvText(text);
}

/** Says whether a cell begins as a formula does: `bare`, behind apostrophes (`guarded`), or not at all. */
export function findGuard(cell: string): 'bare' | 'guarded' | 'none' {
  if (!cell.startsWith("'")) return isSpreadsheetFormula(cell) ? 'bare' : 'none';
  return isSpreadsheetFormula(cell.replace(/^'+/, '')) ? 'guarded' : 'none';
}

/** Takes the apostrophe of the guard off a cell for which `findGuard` says `guarded`. */
export function removeGuard(cell: string): string {
  return cell.slice(1);
}
