import { RFC_4180, type CsvDialect } from '../../../common/model/exports/export-options.ts';
import type { ExportColumn } from '../export-columns.ts';
import type { CreateTextWriter } from './export-writer.ts';
import { guardCsvDigits, guardCsvText } from './guard-csv-text.ts';
import { createTextCleaner } from './replace-unwritable.ts';

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
