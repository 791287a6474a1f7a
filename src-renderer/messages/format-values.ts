import { formatCount } from '../format/formats.ts';

/** Values to insert into words: numbers with thousands separators, texts as they are. */
export function formatValues(values: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? formatCount(value) : value,
    ]),
  );
}
