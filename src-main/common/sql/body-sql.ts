import type { BodyPath, BodyRoot } from '../model/records/body-path.ts';
import { OTHER_FIELDS_COLUMN } from './sql-tables.ts';

/**
 * Statements that make what paths are read with. A body that isn't JSON has no paths; null is no value; an object or an
 * array is its text.
 */
export const BODY_MACROS: readonly string[] = [
  'CREATE MACRO body_json(body) AS CASE WHEN json_valid(body) THEN body END',
  'CREATE MACRO body_text(body, pointer) AS json_extract_string(body_json(body), pointer)',
  // A number that is written as a text counts as one: services send either.
  String.raw`CREATE MACRO body_number(text) AS CASE
     WHEN regexp_full_match(text, '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?')
       AND isfinite(TRY_CAST(text AS DOUBLE)) THEN TRY_CAST(text AS DOUBLE) END`,
];

/** The same as `body_number` of a text that is known. */
export function toBodyNumber(text: string): number | null {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?$/i.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** The column that a body is in. */
export const BODY_COLUMNS = { payload: 'payload', response: 'response', other: OTHER_FIELDS_COLUMN } as const;

/** The values at a path as SQL has them. */
export interface BodyValues {
  /** A text, or, with `isList`, a list of texts, none of them null; null where there is no body. */
  readonly sql: string;
  readonly isList: boolean;
}

/** Writes the expression of the values at a path: every place that reads bodies reads them by this one. */
export function toBodyValues(
  { root, steps }: BodyPath & { readonly root: BodyRoot },
  write: (text: string) => string,
): BodyValues {
  const column = BODY_COLUMNS[root];
  const parts: string[][] = [[]];
  for (const step of steps) {
    if (step === null) parts.push([]);
    else parts.at(-1)?.push(step);
  }
  const [first = [], ...inner] = parts;
  if (inner.length === 0) return { sql: `body_text(${column}, ${write(toPointer(first))})`, isList: false };
  // Each part but the last ends with an array.
  const toElements = (json: string, keys: readonly string[]): string => {
    const own = keys.length === 0 ? json : `json_extract(${json}, ${write(toPointer(keys))})`;
    return `coalesce(json_extract(${own}, '$[*]'), [])`;
  };
  let list = toElements(`body_json(${column})`, first);
  for (const keys of inner.slice(0, -1))
    list = `flatten(list_transform(${list}, lambda part: ${toElements('part', keys)}))`;
  const last = inner.at(-1) ?? [];
  const pointer = last.length === 0 ? `'$'` : write(toPointer(last));
  const texts = `list_transform(${list}, lambda part: json_extract_string(part, ${pointer}))`;
  return { sql: `list_filter(${texts}, lambda part: part IS NOT NULL)`, isList: true };
}

/** Keys as a JSON pointer (RFC 6901). */
function toPointer(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
