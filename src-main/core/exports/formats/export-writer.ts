import { isSpreadsheetFormula } from '../../../common/csv-habits.ts';
import { joinJsonTexts } from '../../../common/json.ts';
import { type CsvDialect, RFC_4180 } from '../../../common/model/exports/export-options.ts';
import type { ExportColumn } from '../export-columns.ts';

/** What a file states about itself, where its format has a place for it. */
export interface ExportAbout {
  readonly report: string;
  /** Left out where the records were imported from a file that doesn't say it. */
  readonly tenant?: number;
  readonly startDate: string;
  readonly endDate: string;
  /** The zone of the two dates. */
  readonly zone: string;
  /** The zone of the clock that dates of records are written in beside the text as received. */
  readonly clock?: string;
  /** Of a summary: it was computed of cached records, and not reported by the service. */
  readonly source?: 'computed';
  /** The query that the records match; everything where it is left out. */
  readonly filter?: string;
  /** The statement of SQL that the rows are a result of. */
  readonly statement?: string;
  /** Never `complete` where a filter left something out. */
  readonly state: string;
  /** Left out where more than a person's word says that nothing is missing. */
  readonly stateBy?: 'statement';
  readonly recordCount: number;
  /** Entries that could not be read as records, and are not among them; left out where there are none. */
  readonly unreadableEntries?: number;
  readonly exportedAt: string;
  /** What was masked, and how, in sentences; left out where everything stands as received. */
  readonly masking?: string;
}

/** Bytes of a file, or a text that is written as UTF-8. */
export type ExportPiece = string | Uint8Array;

/** Writes one file as pieces: `begin`, then rows in any number of groups, then `end`. */
export interface ExportWriter<Row, Piece extends ExportPiece = ExportPiece> {
  begin(): Piece | Promise<Piece>;
  write(rows: readonly Row[]): Piece | Promise<Piece>;
  end(): Piece | Promise<Piece>;
  /** Characters that the format can't hold and that were replaced. */
  countReplaced(): number;
  /** Texts that were longer than the format's cells and were cut. */
  countCut?(): number;
}

/** What writers are told besides the columns; each takes what concerns it. */
export interface WriterOptions {
  readonly csv?: CsvDialect | undefined;
  /** Rows of a sheet; as many as Excel takes where it is left out. */
  readonly sheetRows?: number;
}

/** A writer whose pieces are texts that are there at once. */
interface TextWriter<Row> extends ExportWriter<Row, string> {
  begin(): string;
  write(rows: readonly Row[]): string;
  end(): string;
}

/** A format: makes the writer of one file. */
export type CreateExportWriter = <Row>(
  columns: readonly ExportColumn<Row>[],
  about: ExportAbout,
  options?: WriterOptions,
) => ExportWriter<Row>;

type CreateTextWriter = <Row>(
  columns: readonly ExportColumn<Row>[],
  about: ExportAbout,
  options?: WriterOptions,
) => TextWriter<Row>;

const UNWRITABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Replaces what a file of text can't hold, and counts it. */
interface TextCleaner {
  /** Returns the text with U+FFFD for NUL and for each half of a surrogate pair. */
  clean(text: string): string;
  countReplaced(): number;
}

/** Makes a cleaner; `pattern` finds what is replaced, where a format can hold less than others. */
export function createTextCleaner(pattern: RegExp = UNWRITABLE): TextCleaner {
  let replaced = 0;
  return {
    clean: (text) =>
      text.replace(pattern, () => {
        replaced += 1;
        return '\ufffd';
      }),
    countReplaced: () => replaced,
  };
}

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

/**
 * One JSON object: what the file is, then `records` with the names and types of the specification, each record
 * on a line of its own. A value that is not known is null; a number that could not be read stands as received, as
 * fields do that the specification doesn't know.
 */
export const createJsonWriter: CreateTextWriter = (columns, about) => {
  const toRecord = createRecordText(columns);
  let separator = '\n';
  return {
    begin: () => `${JSON.stringify(about).slice(0, -1)},"records":[`,
    write(rows) {
      let text = '';
      for (const row of rows) {
        text += `${separator}${toRecord(row)}`;
        separator = ',\n';
      }
      return text;
    },
    end: () => '\n]}\n',
    countReplaced: () => 0,
  };
};

/** One JSON object a line, each a record as `createJsonWriter` writes it. */
export const createNdjsonWriter: CreateTextWriter = (columns) => {
  const toRecord = createRecordText(columns);
  return {
    begin: () => '',
    write: (rows) => {
      let text = '';
      for (const row of rows) text += `${toRecord(row)}\n`;
      return text;
    },
    end: () => '',
    countReplaced: () => 0,
  };
};

function createRecordText<Row>(columns: readonly ExportColumn<Row>[]): (row: Row) => string {
  const own = columns.filter(({ readFields }) => readFields === undefined);
  const holders = columns.filter(({ readFields }) => readFields !== undefined);
  const numbers = new Set(
    own.filter(({ type }) => type !== 'text' && type !== 'moment').map(({ name }) => name),
  );
  const keys = own.map(({ name }, place) => `${place === 0 ? '' : ','}${JSON.stringify(name)}:`);
  const toPlain = (row: Row): string => {
    let text = '{';
    for (const [place, column] of own.entries())
      text += `${keys[place] ?? ''}${JSON.stringify(column.read(row))}`;
    return `${text}}`;
  };
  return (row) => {
    const others = holders.flatMap((column) => {
      const fields = Object.entries(column.readFields?.(row) ?? {});
      return fields.length === 0 ? [] : [{ name: column.name, fields }];
    });
    if (others.length === 0) return toPlain(row);
    const texts = new Map(own.map((column) => [column.name, JSON.stringify(column.read(row))]));
    for (const { name: holder, fields } of others) {
      // A field that is named as one of the file's own columns must not take its place.
      const taken = fields.filter(([name, text]) => {
        const isUnread = numbers.has(name) && texts.get(name) === 'null';
        if (name === holder || (texts.has(name) && !isUnread)) return true;
        texts.set(name, text);
        return false;
      });
      if (taken.length > 0) texts.set(holder, joinJsonTexts(taken));
    }
    return joinJsonTexts(texts);
  };
}
