import {
  findNameFault,
  tidyName,
  toComparable,
  type NameColour,
  type NamedField,
  type NameFault,
  type ValueName,
} from '../../src-main/common/model/records/value-name.ts';

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
