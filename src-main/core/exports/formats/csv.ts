import { RFC_4180, type CsvDialect } from '../../../common/model/exports/export-options.ts';
import { isSpreadsheetFormula } from '../../../common/csv-habits.ts';
import type { ExportColumn } from '../export-columns.ts';
import { createTextCleaner, type CreateTextWriter } from './export-writer.ts';

const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const LINE_END = '\r\n';
/** A reader may drop blanks at the ends of a cell without quotes. */
const SPECIAL = /["\r\n]|^\s|\s$|^$/;

/**
 * CSV: UTF-8, CRLF, in a dialect; RFC 4180 where none is given. NUL and halves of surrogate pairs become U+FFFD and are
 * counted. Null is an empty cell without quotes.
 */
export const createCsvWriter: CreateTextWriter = (columns, _about, { csv = RFC_4180 } = {}) => {
  const { separator, decimalSign, guard } = csv;
  const cleaner = createTextCleaner();
  const quote = toQuote(csv);

  function toNumberCell(text: string): string {
    const digits = decimalSign === '.' ? text : text.replace('.', decimalSign);
    return csv.quoting === 'all' || digits.includes(separator) ? `"${digits}"` : digits;
  }

  function toCell<Row>(column: ExportColumn<Row>, row: Row): string {
    const value = column.read(row);
    if (value === null) return '';
    if (typeof value === 'number') return Number.isFinite(value) ? toNumberCell(String(value)) : '';
    if (typeof value === 'boolean') return quote(String(value));
    // Numbers that JavaScript can't hold come as text.
    if (column.type === 'number' && DECIMAL.test(value)) return toNumberCell(value);
    const text = value.isWellFormed() && !value.includes('\0') ? value : cleaner.clean(value);
    if (!guard) return quote(text);
    return quote(isWholeNumber(column) ? guardCsvDigits(text) : guardCsvText(text));
  }

  return {
    begin: () => {
      const names = columns.map(({ name }) => {
        const text = cleaner.clean(name);
        return quote(guard ? guardCsvText(text) : text);
      });
      return `${csv.byteOrderMark ? '\ufeff' : ''}${names.join(separator)}${LINE_END}`;
    },
    write(rows) {
      let text = '';
      for (const row of rows) {
        let line = '';
        for (const [place, column] of columns.entries()) {
          line += place === 0 ? toCell(column, row) : separator + toCell(column, row);
        }
        text += line + LINE_END;
      }
      return text;
    },
    end: () => '',
    countReplaced: cleaner.countReplaced,
  };
};

function isWholeNumber({ type }: Pick<ExportColumn<never>, 'type'>): boolean {
  return type === 'digits' || type === 'count';
}

function toQuote({ quoting, separator }: CsvDialect): (text: string) => string {
  const quoted = (text: string): string =>
    text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`;
  if (quoting !== 'needed') return quoted;
  return (text) => (text.includes(separator) || SPECIAL.test(text) ? quoted(text) : text);
}

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
function guardCsvDigits(text: string): string {
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
