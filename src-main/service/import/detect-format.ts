import { findSeparatorLine, dropUnnamedEnd, findDateZone } from '../../common/csv-habits.ts';
import { resolveFields } from '../../common/reporting/field-names.ts';
import type { DetailKind, Direction } from '../../common/reporting/reports.ts';
import {
  detectDirection,
  IMPORT_FIELDS,
  type ImportField,
  toFileError,
  toHeaderError,
} from './import-fields.ts';

/** Bytes from the start that show what a file is: more than any line of ordinary length. */
export const HEAD_BYTES = 4 * 1024 * 1024;

export type FileFormat =
  | { readonly kind: 'csv'; readonly delimiter: string }
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'json' };

const UTF16_MARKS = ['fffe', 'feff'];
const PACKED_MARKS = ['1f8b', '504b', '425a', 'fd37', '28b5'];

/**
 * Detects what a file is by its beginning, never by its name. Throws AppError
 * `local-service.import-failed` for anything that is not a text in UTF-8 with records.
 */
export function detectFormat(head: Buffer): FileFormat {
  const mark = head.toString('hex', 0, 2);
  if (UTF16_MARKS.includes(mark)) throw toFileError('utf16');
  if (PACKED_MARKS.includes(mark)) throw toFileError('compressed');
  if (head.subarray(0, 4096).includes(0)) throw toFileError('no-text');
  const text = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text === '') throw toFileError('empty-file');
  if (text.startsWith('[')) return { kind: 'json' };
  const [firstLine = '', secondLine] = text.slice(findSeparatorLine(text).length).split(/\r\n|\n|\r/, 2);
  if (text.startsWith('{')) return { kind: isRecordLine(firstLine, secondLine) ? 'ndjson' : 'json' };
  const delimiter = tryFindDelimiter(firstLine);
  if (delimiter !== null) return { kind: 'csv', delimiter };
  throw toFileError('unknown');
}

/**
 * True for a line that has fields of a record itself and is an object of its own. Whatever is wrong with it is said of that
 * line, and the lines below are read: it may hold words that are no JSON, or be longer than what is known of the file.
 */
function isRecordLine(line: string, nextLine: string | undefined): boolean {
  const { keys, isWhole } = scanTop(line);
  const isAlone = isWhole || nextLine === undefined || nextLine.trimStart().startsWith('{');
  return isAlone && resolveFields(keys, IMPORT_FIELDS).foundCount > 0;
}

const MARKS = /"(?:[^"\\]|\\.)*"?|[[\]{}:]/gu;

/** The names that an object has itself, and whether it ends within the text. */
function scanTop(text: string): { readonly keys: readonly string[]; readonly isWhole: boolean } {
  const keys: string[] = [];
  let depth = 0;
  let last = '';
  for (const [mark] of text.matchAll(MARKS)) {
    if (mark === '{' || mark === '[') depth += 1;
    else if (mark === '}' || mark === ']') depth -= 1;
    else if (mark === ':' && depth === 1 && last.startsWith('"')) keys.push(readName(last));
    last = mark;
    if (depth === 0) return { keys, isWhole: true };
  }
  return { keys, isWhole: false };
}

function readName(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.replaceAll('"', '');
  }
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const MAX_COLUMNS = 1_000;
/** With fewer known names, the first line is no header. */
const MIN_FIELDS = 3;

/** Where a CSV file has its fields, by column from 0. */
export interface CsvHeader {
  readonly cells: readonly string[];
  readonly direction: Direction;
  readonly columnOf: ReadonlyMap<ImportField, number>;
  /** The zone whose clock shows the dates, where their column says it; null where they are as the service writes them. */
  readonly dateZone: string | null;
}

/** What separates the cells: the mark by which the first line names most fields. Null for no header at all. */
function tryFindDelimiter(firstLine: string): string | null {
  let best: string | null = null;
  let most = MIN_FIELDS - 1;
  for (const delimiter of DELIMITERS) {
    const names = firstLine.split(delimiter, MAX_COLUMNS).map((cell) => cell.replaceAll('"', ''));
    const { foundCount } = resolveFields(names, IMPORT_FIELDS);
    if (foundCount > most) [best, most] = [delimiter, foundCount];
  }
  return best;
}

/** Reads the header. Throws AppError `local-service.import-failed` when it isn't that of one detail report. */
export function readCsvHeader(cells: readonly string[], stated: DetailKind | null): CsvHeader {
  if (cells.length > MAX_COLUMNS) throw toFileError('columns', { limit: MAX_COLUMNS });
  const names = dropUnnamedEnd(cells).map((cell) => cell.trim());
  const { keyOf } = resolveFields(names, IMPORT_FIELDS);
  const columnOf = new Map<ImportField, number>();
  for (const [field, name] of Object.entries(keyOf) as [ImportField, string | undefined][]) {
    if (name === undefined) continue;
    if (names.indexOf(name) !== names.lastIndexOf(name)) {
      throw toFileError('column-twice', { column: name });
    }
    columnOf.set(field, names.indexOf(name));
  }
  const zonedColumn = names.findIndex((name) => findDateZone(name) !== null);
  const isZoned = zonedColumn >= 0 && !columnOf.has('dateText');
  if (isZoned) columnOf.set('dateText', zonedColumn);
  const detected = detectDirection(keyOf, stated);
  if (detected.fault !== null) throw toHeaderError(detected.fault);
  const dateZone = isZoned ? findDateZone(names[zonedColumn] ?? '') : null;
  return { cells: cells.slice(0, names.length), direction: detected.direction, columnOf, dateZone };
}
