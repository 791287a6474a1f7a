import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { parse, type CsvError } from 'csv-parse';
import { CSV_SEPARATORS, type CsvDialect } from '../../../common/model/exports/export-options.ts';
import {
  resolveFields,
  DETAIL_FIELD_NAMES,
  SUMMARY_FIELD_NAMES,
} from '../../../common/reporting/field-names.ts';
import type { ReportKind } from '../../../common/reporting/reports.ts';
import { findGuard, removeGuard } from '../../exports/formats/guard-csv-text.ts';
import { toUnreadable } from '../../../common/contract/unreadable-file.ts';
import { describeColumns, type FileColumn } from './file-columns.ts';
import { MAX_RECORD_BYTES, type FileRecords } from './read-json-records.ts';

const LF = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:[.,]\d+)?(?:e[-+]?\d+)?$/i;
const MAX_COLUMNS = 1_000;
const ALL_NAMES = { ...SUMMARY_FIELD_NAMES, ...DETAIL_FIELD_NAMES };

/** What the header of a CSV file tells. */
export interface CsvHead {
  readonly separator: CsvDialect['separator'];
  /** Names of the columns as they are meant. */
  readonly names: readonly string[];
}

/** What reading a CSV file finds out about how it was written. */
export interface CsvFindings {
  /** A text begins as a formula does: nothing guarded this file. */
  hasBareFormula: boolean;
  /** A text begins with the apostrophe of the guard. */
  hasGuard: boolean;
}

/** Finds what separates the cells: the mark by which the first line names most fields; null for no header. */
export function findSeparator(firstLine: string): CsvDialect['separator'] | null {
  const found = CSV_SEPARATORS.map((separator) => {
    const names = firstLine.split(separator, MAX_COLUMNS).map((cell) => cell.replaceAll('"', ''));
    return { separator, count: resolveFields<string>(names, ALL_NAMES).foundCount };
  });
  const best = found.reduce((most, next) => (next.count > most.count ? next : most));
  return best.count === 0 ? null : best.separator;
}

/** Rows of a CSV file as cells, the header first. Throws `imports.unreadable` for a file that is damaged or cut off. */
async function* readRows(
  chunks: AsyncIterable<Buffer>,
  separator: string,
): AsyncGenerator<readonly string[]> {
  let last = LF;
  async function* watchEnd(): AsyncGenerator<Buffer> {
    let isFirst = true;
    for await (const chunk of chunks) {
      last = chunk.at(-1) ?? last;
      // The parser would decode the cells itself from then on.
      yield isFirst && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk;
      isFirst = false;
    }
  }
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n'],
    max_record_size: MAX_RECORD_BYTES,
    encoding: null,
  });
  // What ends the pipe early reaches the loop below through the parser.
  pipeline(Readable.from(watchEnd()), parser, () => undefined);
  try {
    for await (const row of parser as AsyncIterable<readonly Buffer[]>) {
      if (!row.every((cell) => isUtf8(cell))) {
        throw toUnreadable(
          `Row ${parser.info.records} is not UTF-8. Export the records again, or save the file as UTF-8.`,
        );
      }
      yield row.map((cell) => cell.toString('utf8'));
    }
  } catch (error) {
    throw toCsvError(error);
  } finally {
    parser.destroy();
  }
  if (last !== LF) {
    throw toUnreadable('The file ends in the middle of a line: it was cut off. Export the records again.');
  }
}

/** Reads the header. Throws as the rows do, and for a column that is there twice. */
export async function readCsvHead(
  chunks: AsyncIterable<Buffer>,
  separator: CsvDialect['separator'],
): Promise<CsvHead> {
  for await (const cells of readRows(chunks, separator)) {
    const names = cells.map((cell) => (findGuard(cell) === 'guarded' ? removeGuard(cell) : cell));
    if (names.length > MAX_COLUMNS) {
      throw toUnreadable(`It has ${names.length} columns; a file of records has at most ${MAX_COLUMNS}.`);
    }
    const twice = names.find((name, place) => names.indexOf(name) !== place);
    if (twice !== undefined) throw toUnreadable(`The column "${twice}" is there twice.`);
    return { separator, names };
  }
  throw toUnreadable('The file is empty.');
}

/** Reads the records below the header; `isGuarded` takes the apostrophes of the guard off. */
export async function* readCsvRecords(
  chunks: AsyncIterable<Buffer>,
  { separator, names }: CsvHead,
  report: ReportKind,
  {
    own,
    isGuarded,
    findings,
  }: {
    readonly own: readonly string[] | null;
    readonly isGuarded: boolean;
    readonly findings: CsvFindings;
  },
): FileRecords {
  const shape = describeColumns(names, report, own);
  const columns = names.map((name) => ({ name, isNumber: isNumber(shape.get(name)) }));
  let isHeader = true;
  for await (const cells of readRows(chunks, separator)) {
    if (isHeader) {
      isHeader = false;
      continue;
    }
    const fields: Record<string, string> = {};
    for (const [place, { name, isNumber: canBeNumber }] of columns.entries()) {
      const cell = cells[place] ?? '';
      if (canBeNumber && (cell === '' || NUMBER.test(cell))) {
        fields[name] = cell === '' ? 'null' : cell.replace(',', '.');
        continue;
      }
      const guard = findGuard(cell);
      findings.hasBareFormula ||= guard === 'bare' && !NUMBER.test(cell);
      findings.hasGuard ||= guard === 'guarded';
      fields[name] = JSON.stringify(isGuarded && guard === 'guarded' ? removeGuard(cell) : cell);
    }
    yield fields;
  }
}

function isNumber(column: FileColumn | undefined): boolean {
  return column?.kind === 'field' && ['number', 'integer', 'count'].includes(column.type);
}

function toCsvError(error: unknown): unknown {
  const { code, lines } = error as Partial<CsvError> & { readonly lines?: number };
  if (typeof code !== 'string' || !code.startsWith('CSV_')) return error;
  const place = typeof lines === 'number' ? `Near line ${lines}` : 'Somewhere';
  return toUnreadable(
    code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH' || code === 'CSV_RECORD_INCONSISTENT_COLUMNS'
      ? `${place} a row has more or fewer cells than the header: the file is damaged or cut off. Export the records again.`
      : `${place} the file is no CSV: a quotation mark is missing, or the file was cut off. Export the records again.`,
    error,
  );
}
