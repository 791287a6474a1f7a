import {
  type createDecimalSignFinder,
  type DecimalSign,
  dropUnnamedEnd,
  findDateZone,
  readShownNumber,
} from '../../../common/csv-habits.ts';
import { OTHER_FIELDS_NAME } from '../../../common/model/exports/export-options.ts';
import { isNamedField, parseBodyPath } from '../../../common/model/records/body-path.ts';
import { FIELD_NAMES, resolveFields } from '../../../common/reporting/field-names.ts';
import {
  type FieldType,
  listFields,
  REPORT_KINDS,
  type ReportKind,
} from '../../../common/reporting/reports.ts';
import { toUnreadable } from '../../../common/words/to-unreadable.ts';
import { MARK_COLUMNS } from '../../exports/export-columns.ts';
import { findGuard, removeGuard } from '../../exports/formats/export-writer.ts';
import { type CsvFormat, fitRow, MAX_COLUMNS, readRows } from '../../../node/record-files.ts';
import { LIMITS } from './open-record-file.ts';
import type { FileRecords } from './read-json-records.ts';

/** What the header of a CSV file tells. */
export interface CsvHead {
  readonly format: CsvFormat;
  /** The header as it stands there. */
  readonly cells: readonly string[];
  /** Names of the columns as they are meant; those that a spreadsheet left without one at the end are not among them. */
  readonly names: readonly string[];
}

/** What reading a CSV file finds out about how it was written. */
export interface CsvFindings {
  /** A text begins as a formula does: nothing guarded this file. */
  hasBareFormula: boolean;
  /** A text begins with the apostrophe of the guard. */
  hasGuard: boolean;
  readonly signs: ReturnType<typeof createDecimalSignFinder>;
}

/** Rows of a CSV file, the header first. Throws `imports.unreadable` for a file that is damaged or cut off. */
async function* readCells(
  chunks: AsyncIterable<Buffer>,
  format: CsvFormat,
): AsyncGenerator<{ readonly line: number; readonly cells: readonly string[] }> {
  for await (const row of readRows(chunks, format, LIMITS)) {
    if ('fault' in row) throw toUnreadable(ROW_FAULTS[row.fault], { line: row.line });
    if (!row.isEnded) {
      throw toUnreadable('line-cut');
    }
    yield row;
  }
}

const ROW_FAULTS = { 'open-quote': 'open-quote', 'not-utf8': 'line-not-utf8' } as const;

/** Reads the header. Throws as the rows do, and for a column that is there twice. */
export async function readCsvHead(chunks: AsyncIterable<Buffer>, format: CsvFormat): Promise<CsvHead> {
  for await (const { cells: written } of readCells(chunks, format)) {
    const cells = dropUnnamedEnd(written);
    const names = cells.map((cell) => (findGuard(cell) === 'guarded' ? removeGuard(cell) : cell));
    if (names.length > MAX_COLUMNS) {
      throw toUnreadable('many-columns', { count: names.length, most: MAX_COLUMNS });
    }
    const twice = names.find((name, place) => names.indexOf(name) !== place);
    if (twice !== undefined) throw toUnreadable('column-twice', { name: twice });
    return { format, cells, names };
  }
  throw toUnreadable('empty-file');
}

/** Reads the records below the header; `isGuarded` takes the apostrophes of the guard off. */
export async function* readCsvRecords(
  chunks: AsyncIterable<Buffer>,
  { format, cells: header, names }: CsvHead,
  report: ReportKind,
  {
    own,
    isGuarded,
    decimalSign,
    findings,
  }: {
    readonly own: readonly string[] | null;
    readonly isGuarded: boolean;
    readonly decimalSign: DecimalSign;
    readonly findings: CsvFindings;
  },
): FileRecords {
  const shape = describeColumns(names, report, own);
  const columns = names.map((name) => ({ name, isNumber: isNumber(shape.get(name)) }));
  let isHeader = true;
  for await (const { line, cells: written } of readCells(chunks, format)) {
    const cells = fitRow(written, header);
    if (cells === 'cells') {
      throw toUnreadable('other-cells', { line, count: written.length, columns: names.length });
    }
    // The header may come again, where files were put together.
    if (isHeader || cells === 'header-again' || cells === null) {
      isHeader = false;
      continue;
    }
    const fields: Record<string, string> = {};
    for (const [place, { name, isNumber: canBeNumber }] of columns.entries()) {
      const cell = cells[place] ?? '';
      if (canBeNumber) {
        findings.signs.add(cell);
        const number = cell === '' ? 'null' : readShownNumber(cell, decimalSign);
        if (number !== null) {
          fields[name] = number;
          continue;
        }
      }
      const guard = findGuard(cell);
      findings.hasBareFormula ||= guard === 'bare' && !isShownNumber(cell);
      findings.hasGuard ||= guard === 'guarded';
      fields[name] = JSON.stringify(isGuarded && guard === 'guarded' ? removeGuard(cell) : cell);
    }
    yield fields;
  }
}

function isShownNumber(cell: string): boolean {
  return readShownNumber(cell, '.') !== null || readShownNumber(cell, ',') !== null;
}

function isNumber(column: FileColumn | undefined): boolean {
  return column?.kind === 'field' && ['number', 'integer', 'count'].includes(column.type);
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
  const isOthers = name.toLowerCase() === OTHER_FIELDS_NAME.toLowerCase();
  if (own !== null && !own.includes(name)) return { kind: isOthers ? 'others' : 'extra' };
  if (isOthers) return { kind: 'others' };
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
    throw toUnreadable('no-fields');
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
  throw toUnreadable('no-direction');
}
