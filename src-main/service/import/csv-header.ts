import { dropUnnamedEnd, findDateZone } from '../../common/csv-habits.ts';
import { resolveFields } from '../../common/reporting/field-names.ts';
import type { DetailKind, Direction } from '../../common/reporting/reports.ts';
import { toFileError, toHeaderError } from './import-error.ts';
import { IMPORT_FIELDS, detectDirection, type ImportField } from './import-fields.ts';

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
export function tryFindDelimiter(firstLine: string): string | null {
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
