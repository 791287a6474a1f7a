import { stringify } from 'csv-stringify/sync';
import type { ExportColumn } from './export-columns.ts';
import type { CreateExportWriter } from './export-writer.ts';
import { guardCsvDigits, guardCsvText } from './guard-csv-text.ts';

// Text of any kind is quoted, so that separators and quotes inside it open no cell; numbers are bare.
const DIALECT = { delimiter: ',', record_delimiter: '\r\n', quoted_string: true } as const;
const UNWRITABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * CSV by RFC 4180: UTF-8 without a mark, CRLF, commas, every text quoted and guarded against formulas.
 * NUL and halves of surrogate pairs become U+FFFD and are counted. Null is an empty cell without quotes.
 */
export const createCsvWriter: CreateExportWriter = (columns) => {
  let replaced = 0;

  function replaceUnwritable(text: string): string {
    return text.replace(UNWRITABLE, () => {
      replaced += 1;
      return '\ufffd';
    });
  }

  function toCell<Row>(column: ExportColumn<Row>, row: Row): string | number | null {
    const value = column.read(row);
    if (typeof value !== 'string') return Number.isFinite(value) ? value : null;
    const text = value.isWellFormed() && !value.includes('\0') ? value : replaceUnwritable(value);
    return column.type === 'digits' ? guardCsvDigits(text) : guardCsvText(text);
  }

  return {
    begin: () => stringify([columns.map((column) => column.name)], DIALECT),
    write: (rows) =>
      stringify(
        rows.map((row) => columns.map((column) => toCell(column, row))),
        DIALECT,
      ),
    end: () => '',
    countReplaced: () => replaced,
  };
};
