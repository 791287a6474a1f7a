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
