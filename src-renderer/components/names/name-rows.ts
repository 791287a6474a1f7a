import {
  findNameFault,
  MAX_NAMES,
  NAME_COLOURS,
  NAMED_FIELDS,
  tidyName,
  toComparable,
  type NameColour,
  type NamedField,
  type NameFault,
  type ValueName,
} from '../../../src-main/common/model/value-name.ts';

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

/** Returns names as the text of a file. */
export function writeNames(names: readonly ValueName[]): string {
  return `${JSON.stringify({ channelscopeNames: 1, names }, null, 2)}\n`;
}

/** Reads the text of such a file; null for any other text, also where one name of many doesn't fit. */
export function readNames(text: string): readonly ValueName[] | null {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return null;
  }
  const list = (file as { names?: unknown } | null)?.names;
  if (!Array.isArray(list) || list.length > MAX_NAMES) return null;
  const names = list.map(toName);
  const known = names.filter((name) => name !== null);
  const fits = known.every((name, index) => findNameFault(name, known.slice(0, index)) === null);
  return fits && known.length === names.length ? known : null;
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

/** Returns names with others: of a number that both name, the other name counts. */
export function mergeNames(names: readonly ValueName[], others: readonly ValueName[]): readonly ValueName[] {
  const toKey = ({ field, value }: ValueName): string => `${field}:${value}`;
  return [...new Map([...names, ...others].map((entry) => [toKey(entry), entry])).values()];
}
