import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { toUnreadable } from '../../../common/contract/errors.ts';
import {
  dropUnnamedEnd,
  findDateZone,
  findSeparatorLine,
  isSpacedHeader,
} from '../../../common/csv-habits.ts';
import {
  CSV_SEPARATORS,
  type CsvDialect,
  OTHER_FIELDS_NAME,
} from '../../../common/model/exports/export-options.ts';
import { isNamedField, parseBodyPath } from '../../../common/model/records/body-path.ts';
import {
  DETAIL_FIELD_NAMES,
  FIELD_NAMES,
  resolveFields,
  SUMMARY_FIELD_NAMES,
} from '../../../common/reporting/field-names.ts';
import {
  type FieldType,
  listFields,
  REPORT_KINDS,
  type ReportKind,
} from '../../../common/reporting/reports.ts';
import { MARK_COLUMNS } from '../../exports/export-columns.ts';
import { findGuard, removeGuard } from '../../exports/formats/export-writer.ts';
import { type FileRecords, MAX_RECORD_BYTES } from './read-json-records.ts';

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:[.,]\d+)?(?:e[-+]?\d+)?$/i;
const MAX_COLUMNS = 1_000;
const ALL_NAMES = { ...SUMMARY_FIELD_NAMES, ...DETAIL_FIELD_NAMES };

/** What the header of a CSV file tells. */
export interface CsvHead {
  readonly separator: CsvDialect['separator'];
  /** Spaces stand behind each separator, and belong to no cell. */
  readonly isSpaced: boolean;
  /** Names of the columns as they are meant; those that a spreadsheet left without one at the end are not among them. */
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

/** Rows of a CSV file as cells, the header first; rows without any text left out. Throws `imports.unreadable` for a file that is damaged or cut off. */
async function* readRows(
  chunks: AsyncIterable<Buffer>,
  separator: string,
  { isSpaced = false, maxRows = -1 } = {},
): AsyncGenerator<readonly string[]> {
  let last = LF;
  async function* watchEnd(): AsyncGenerator<Buffer> {
    let isFirst = true;
    for await (const chunk of chunks) {
      last = chunk.at(-1) ?? last;
      yield isFirst ? skipStart(chunk) : chunk;
      isFirst = false;
    }
  }
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    ltrim: isSpaced,
    to: maxRows,
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
      if (row.some((cell) => cell.length > 0)) yield row.map((cell) => cell.toString('utf8'));
    }
  } catch (error) {
    throw toCsvError(error);
  } finally {
    parser.destroy();
  }
  if (last !== LF && last !== CR) {
    throw toUnreadable('The file ends in the middle of a line: it was cut off. Export the records again.');
  }
}

/** Reads the header. Throws as the rows do, and for a column that is there twice. */
export async function readCsvHead(
  chunks: AsyncIterable<Buffer>,
  separator: CsvDialect['separator'],
): Promise<CsvHead> {
  for await (const cells of readRows(chunks, separator, { maxRows: 1 })) {
    const written = cells.map((cell) => (findGuard(cell) === 'guarded' ? removeGuard(cell) : cell));
    const isSpaced = isSpacedHeader(written);
    const named = isSpaced ? written.map((name) => name.trim().replace(/^"(.*)"$/, '$1')) : written;
    const names = dropUnnamedEnd(named);
    if (names.length > MAX_COLUMNS) {
      throw toUnreadable(`It has ${names.length} columns; a file of records has at most ${MAX_COLUMNS}.`);
    }
    const twice = names.find((name, place) => names.indexOf(name) !== place);
    if (twice !== undefined) throw toUnreadable(`The column "${twice}" is there twice.`);
    return { separator, isSpaced, names };
  }
  throw toUnreadable('The file is empty.');
}

/** What stands before the header: the parser would decode the cells itself after the mark of UTF-8. */
function skipStart(chunk: Buffer): Buffer {
  const text = chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk;
  return text.subarray(findSeparatorLine(text.toString('latin1', 0, 16)).length);
}

/** Reads the records below the header; `isGuarded` takes the apostrophes of the guard off. */
export async function* readCsvRecords(
  chunks: AsyncIterable<Buffer>,
  { separator, isSpaced, names }: CsvHead,
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
  let rowNumber = 0;
  for await (const cells of readRows(chunks, separator, { isSpaced })) {
    rowNumber += 1;
    if (isHeader) {
      isHeader = false;
      continue;
    }
    if (cells.length > names.length && cells.slice(names.length).some((cell) => cell !== '')) {
      throw toUnreadable(
        `Row ${rowNumber} has a value under a column without a name. Give the column a name, or empty it.`,
      );
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
  if (!(error instanceof CsvError)) return error;
  const { code } = error;
  const { lines } = error as { readonly lines?: unknown };
  const place = typeof lines === 'number' ? `Near line ${lines}` : 'Somewhere';
  if (code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH' || code === 'CSV_RECORD_INCONSISTENT_COLUMNS') {
    return toUnreadable(
      `${place} a row has more or fewer cells than the header: the file is damaged or cut off. Export the records again.`,
      error,
    );
  }
  // As the library names it: without the prefix of the others.
  return toUnreadable(
    (code as string) === 'INVALID_OPENING_QUOTE'
      ? `${place} a quotation mark stands inside a cell that doesn't begin with one. Take out what is before it, or double it and put the whole cell in quotation marks.`
      : `${place} the file is no CSV: a quotation mark is missing, or the file was cut off. Export the records again.`,
    error,
  );
}

/** What a column of a file, or a field of its records, is. */
export type FileColumn =
  /** A field of the service. */
  | { readonly kind: 'field'; readonly wireName: string; readonly type: FieldType }
  /** Fields that the specification doesn't know, as one JSON object. */
  | { readonly kind: 'others' }
  /** The date as the clock of a zone shows it. */
  | { readonly kind: 'zoned-date'; readonly zone: string }
  /** What isn't the service's: a person's names, marks and notes, and what was read out of bodies or own tables. */
  | { readonly kind: 'own' }
  /** A field of the service that the specification doesn't know. */
  | { readonly kind: 'extra' };

const NAME = / name$/;
const MARKS = MARK_COLUMNS.map(({ name }) => name);

/**
 * Says what the columns of a file are. `own` are the file's own columns where a manifest lists them: any other name is
 * then a field that the service sent.
 */
export function describeColumns(
  names: readonly string[],
  report: ReportKind,
  own: readonly string[] | null,
): ReadonlyMap<string, FileColumn> {
  const fields = listFields(report);
  const { keyOf } = resolveFields<string>(names, FIELD_NAMES[report]);
  const columns = new Map<string, FileColumn>();
  for (const [field, { wireName, type }] of fields) {
    const name = keyOf[field];
    if (name !== undefined) columns.set(name, { kind: 'field', wireName, type });
  }
  const isNamed = new Set(fields.flatMap(([field]) => (isNamedField(field) ? (keyOf[field] ?? []) : [])));
  const hasMarks = MARKS.every((name) => names.includes(name));
  for (const name of names) {
    if (!columns.has(name)) columns.set(name, describeOther(name, isNamed, hasMarks, own));
  }
  return columns;
}

function describeOther(
  name: string,
  isNamed: ReadonlySet<string>,
  hasMarks: boolean,
  own: readonly string[] | null,
): FileColumn {
  if (own !== null && !own.includes(name)) return { kind: name === OTHER_FIELDS_NAME ? 'others' : 'extra' };
  if (name === OTHER_FIELDS_NAME) return { kind: 'others' };
  if (NAME.test(name) && isNamed.has(name.replace(NAME, ''))) return { kind: 'own' };
  if (hasMarks && MARKS.includes(name)) return { kind: 'own' };
  if (parseBodyPath(name) !== null) return { kind: 'own' };
  const zone = findDateZone(name);
  if (zone !== null) return { kind: 'zoned-date', zone };
  return { kind: 'extra' };
}

/**
 * Returns the report that records with these fields are of. Throws `imports.unreadable` where they are of none, and
 * where inbound can't be told from outbound.
 */
export function detectReport(names: readonly string[], stated: ReportKind | null): ReportKind {
  const found = (report: ReportKind): number => resolveFields<string>(names, FIELD_NAMES[report]).foundCount;
  if (Math.max(...REPORT_KINDS.map(found)) === 0) {
    throw toUnreadable(
      'Its records have none of the fields of a report. Import a CSV, JSON, NDJSON or Parquet export, or a portable snapshot.',
    );
  }
  if (stated !== null) return stated;
  const has = (report: ReportKind, field: string): boolean =>
    resolveFields<string>(names, FIELD_NAMES[report]).keyOf[field] !== undefined;
  if (has('outbound-summary', 'count') && !has('inbound-detail', 'dateText')) {
    const isInbound = has('inbound-summary', 'origin') || has('inbound-summary', 'averageBotLatencyMs');
    return isInbound ? 'inbound-summary' : 'outbound-summary';
  }
  const isInbound = has('inbound-detail', 'botLatencyMs');
  const isOutbound = has('outbound-detail', 'actionId') || has('outbound-detail', 'response');
  if (isInbound !== isOutbound) return isInbound ? 'inbound-detail' : 'outbound-detail';
  throw toUnreadable(
    'Its fields do not tell whether its records are inbound or outbound. Import it again and say which report it is of.',
  );
}
