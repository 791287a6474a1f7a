import { dropUnnamedEnd, findDateZone, isSpreadsheetFormula } from '../../common/csv-habits.ts';
import { resolveFields } from '../../common/reporting/field-names.ts';
import { readDate } from '../../common/reporting/reading/read-date.ts';
import type { DetailKind, Direction } from '../../common/reporting/reports.ts';
import { type CsvFormat, fitRow, MAX_COLUMNS, readRows } from '../../node/record-files.ts';
import {
  detectDirection,
  type FileEntry,
  IMPORT_FIELDS,
  type ImportField,
  LIMITS,
  type ReadField,
  toFault,
  toFileError,
  toHeaderError,
} from './import-fields.ts';

const DECIMAL_COMMA = /^\d+,\d+$/u;
const NUMBER_FIELDS: ReadonlySet<ImportField> = new Set(['responseTimeMs', 'botLatencyMs']);

/**
 * Rows of a CSV file below its header, by the line on which each begins; the apostrophe by which the export keeps a text
 * from being a formula is taken off. Throws AppError for a header that can't be used.
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  format: CsvFormat,
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  let header: CsvHeader | null = null;
  for await (const row of readRows(chunks, format, LIMITS)) {
    const { line } = row;
    if ('fault' in row) yield { line, fault: toFault(row.fault) };
    else if (header === null) header = readCsvHeader(row.cells, stated);
    else {
      const cells = fitRow(row.cells, header.cells);
      if (cells === 'cells') {
        const values = { cells: row.cells.length, header: header.cells.length };
        yield { line, fault: toFault(cells, values) };
      } else if (cells === 'header-again') yield { line, fault: toFault(cells) };
      else if (cells !== null) yield toEntry(header, cells, line, format);
    }
  }
}

function toEntry(
  { direction, columnOf, dateZone }: CsvHeader,
  cells: readonly string[],
  line: number,
  { separator }: CsvFormat,
): FileEntry {
  const get: ReadField = (field) => {
    const column = columnOf.get(field);
    if (column === undefined) return undefined;
    const cell = removeGuard(cells[column] ?? '');
    if (field === 'dateText' && dateZone !== null) return toInstantText(cell, dateZone);
    // Where a comma doesn't separate the cells, it may be that of a number.
    return separator !== ',' && NUMBER_FIELDS.has(field) && DECIMAL_COMMA.test(cell)
      ? cell.replace(',', '.')
      : cell;
  };
  return { line, direction, get };
}

/** A date as the clock of a zone shows it, as an instant; what can't be read stays as it is. */
function toInstantText(text: string, zone: string): string {
  const dateMs = readDate(text, zone);
  return dateMs === null ? text : new Date(dateMs).toISOString();
}

function removeGuard(cell: string): string {
  return cell.startsWith("'") && isSpreadsheetFormula(cell.replace(/^'+/, '')) ? cell.slice(1) : cell;
}

/** Where a CSV file has its fields, by column from 0. */
interface CsvHeader {
  readonly cells: readonly string[];
  readonly direction: Direction;
  readonly columnOf: ReadonlyMap<ImportField, number>;
  /** The zone whose clock shows the dates, where their column says it; null where they are as the service writes them. */
  readonly dateZone: string | null;
}

/** Reads the header. Throws AppError `local-service.import-failed` when it isn't that of one detail report. */
function readCsvHeader(cells: readonly string[], stated: DetailKind | null): CsvHeader {
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
