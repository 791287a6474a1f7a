import { parse } from 'csv-parse/browser/esm/sync';
import {
  findNameFault,
  MAX_NAMES,
  NAME_COLOURS,
  type NameColour,
  NAMED_FIELDS,
  type NamedField,
  type NameFault,
  tidyName,
  toComparable,
  type ValueName,
} from '../../src-main/common/model/records/body-path.ts';
import { isSpreadsheetFormula } from '../../src-main/common/csv-habits.ts';

/** A name as it is typed. */
export interface NameRow {
  readonly key: number;
  field: NamedField;
  value: string;
  name: string;
  colour: NameColour | 'none';
}

/** Returns names as rows to type in. */
export function toRows(names: readonly ValueName[]): NameRow[] {
  return names.map(({ field, value, name, colour }, key) => ({
    key,
    field,
    value,
    name,
    colour: colour ?? 'none',
  }));
}

/** Returns rows as names, without the rows in which nothing was typed. */
export function toNames(rows: readonly NameRow[]): ValueName[] {
  return rows
    .filter((row) => !isBlank(row))
    .map(({ field, value, name, colour }) => ({
      field,
      value: value.trim(),
      name: tidyName(name),
      ...(colour === 'none' ? {} : { colour }),
    }));
}

/** Returns what is wrong with a row among the others; null where nothing is. */
export function findRowFault(row: NameRow, rows: readonly NameRow[]): NameFault | null {
  const [own] = toNames([row]);
  if (own === undefined) return null;
  const before = rows.slice(0, rows.indexOf(row));
  return findNameFault(own, toNames(before));
}

/** True where another number of the field has the same name, so that a query can't tell them apart. */
export function isRepeated(row: NameRow, rows: readonly NameRow[]): boolean {
  return (
    row.name.trim() !== '' &&
    rows.some(
      (other) =>
        other !== row && other.field === row.field && toComparable(other.name) === toComparable(row.name),
    )
  );
}

function isBlank({ value, name }: NameRow): boolean {
  return value.trim() === '' && name.trim() === '';
}

/** Returns names with others: of a number that both name, the other name counts. */
export function mergeNames(names: readonly ValueName[], others: readonly ValueName[]): readonly ValueName[] {
  const toKey = ({ field, value }: ValueName): string => `${field}:${value}`;
  return [...new Map([...names, ...others].map((entry) => [toKey(entry), entry])).values()];
}

const DELIMITERS = [',', ';', '\t'] as const;

/**
 * Reads CSV into rows of cells; of comma, semicolon and tab, the one that the first line holds most of parts them. Null
 * for what isn't CSV.
 */
function readCsvRows(text: string): readonly (readonly string[])[] | null {
  const [firstLine = ''] = text.split(/\r\n|\r|\n/, 1);
  const countOf = (delimiter: string): number => firstLine.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, next) => (countOf(next) > countOf(best) ? next : best));
  try {
    return parse(text, {
      bom: true,
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_records_with_empty_values: true,
    });
  } catch {
    return null;
  }
}

const COLUMNS = ['field', 'number', 'name', 'colour'] as const;
type Column = (typeof COLUMNS)[number];

/** What else a spreadsheet's heading may call a column. */
const OTHER_HEADINGS: Readonly<Record<string, Column>> = { value: 'number', color: 'colour' };

/** Returns names as the text of a JSON file. */
export function writeNames(names: readonly ValueName[]): string {
  return `${JSON.stringify({ channelscopeNames: 1, names }, null, 2)}\n`;
}

/** Returns names as CSV, by RFC 4180; what a spreadsheet would take for a formula is guarded by an apostrophe. */
export function writeNamesCsv(names: readonly ValueName[]): string {
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const rows = names.map(({ field, value, name, colour = '' }) =>
    [field, value, quote(isSpreadsheetFormula(name) ? `'${name}` : name), colour].join(','),
  );
  return [COLUMNS.join(','), ...rows].map((row) => `${row}\r\n`).join('');
}

/** Reads the text of such a file; null for any other text, also where one name of many doesn't fit. */
export function readNames(text: string): readonly ValueName[] | null {
  // What is not UTF-8 was read as replacement marks.
  if (text.includes('\ufffd')) return null;
  const list = /^\s*[{[]/.test(text) ? readJsonEntries(text) : readCsvEntries(text);
  if (list === null || list.length > MAX_NAMES) return null;
  const names = list.map(toName);
  const known = names.filter((name) => name !== null);
  const fits = known.every((name, index) => findNameFault(name, known.slice(0, index)) === null);
  return fits && known.length === names.length ? known : null;
}

function readJsonEntries(text: string): readonly unknown[] | null {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return null;
  }
  const list = (file as { names?: unknown } | null)?.names;
  return Array.isArray(list) ? list : null;
}

/** A first row without the headings is a name already, in their order. */
function readCsvEntries(text: string): readonly unknown[] | null {
  const rows = readCsvRows(text);
  if (rows === null) return null;
  const [head = [], ...rest] = rows;
  const headings = head.map(toColumn);
  const hasHeadings = (['field', 'number', 'name'] as const).every((column) => headings.includes(column));
  if (!hasHeadings && toField(head[0] ?? '') === null) return null;
  const columns = hasHeadings ? headings : COLUMNS;
  return (hasHeadings ? rest : [head, ...rest]).map((row) => {
    const read = (column: Column): string => row[columns.indexOf(column)]?.trim() ?? '';
    const name = read('name');
    return {
      field: toField(read('field')),
      value: read('number'),
      name: name.startsWith("'") && isSpreadsheetFormula(name.slice(1)) ? name.slice(1) : name,
      colour: read('colour').toLowerCase(),
    };
  });
}

function toColumn(heading: string): Column | null {
  const text = heading.trim().toLowerCase();
  return COLUMNS.find((column) => column === text) ?? OTHER_HEADINGS[text] ?? null;
}

function toField(text: string): ValueName['field'] | null {
  const wanted = text.trim().toLowerCase();
  return NAMED_FIELDS.find((field) => field.toLowerCase() === wanted) ?? null;
}

function toName(entry: unknown): ValueName | null {
  if (typeof entry !== 'object' || entry === null) return null;
  const { field, value, name, colour } = entry as Readonly<Record<string, unknown>>;
  const known = NAMED_FIELDS.find((one) => one === field);
  if (known === undefined || typeof name !== 'string' || !['string', 'number'].includes(typeof value))
    return null;
  const own = NAME_COLOURS.find((one) => one === colour);
  return {
    field: known,
    value: String(value),
    name: tidyName(name),
    ...(own === undefined ? {} : { colour: own }),
  };
}
