import {
  type BodyPath,
  findBodyPath,
  isBodyField,
  OWN_ROOT,
  parseBodyPath,
  type PathRoot,
  writeBodyPath,
} from '../model/records/body-path.ts';
import {
  findReportField,
  hasField,
  type QueryKind,
  RECORD_FIELD_NAMES,
  type RecordFieldName,
  type TextMatch,
  toFieldRow,
  toReportedName,
} from '../model/records/record-fields.ts';
import type { FilterField } from '../model/records/record-filter.ts';
import { type Direction, DIRECTIONS } from '../reporting/reports.ts';

/** A field as a query names it. */
export interface QueryField {
  readonly keyword: string;
  /** What else it is called: in the service's interface, in SQL and on screen. */
  readonly otherNames: readonly string[];
  readonly field: FilterField;
  readonly kind: QueryKind;
  readonly match: TextMatch;
}

/** Every field that a query can name, in the order in which they are offered. */
export const QUERY_FIELDS: readonly (QueryField & { readonly field: RecordFieldName })[] =
  RECORD_FIELD_NAMES.map((field) => {
    const { keyword, kind, otherNames = [], match = 'whole' } = toFieldRow(field).query;
    const names = new Set([...otherNames, ...listWireNames(field)]);
    names.delete(keyword);
    return { keyword, otherNames: [...names], field, kind, match };
  });

/** What services call a field: a person may have read it in a body or in a report. */
function listWireNames(name: RecordFieldName): string[] {
  if (toReportedName(name) !== name) return [];
  return DIRECTIONS.flatMap((direction) => findReportField(name, direction) ?? [])
    .flatMap(({ wireName, otherNames = [] }) => [wireName, ...otherNames])
    .map(foldName);
}

/** Returns the fields of a report's records that a query can name, in the order in which they are offered. */
export function listQueryFields(direction: Direction): readonly QueryField[] {
  return QUERY_FIELDS.filter(({ field }) => hasField(field, direction));
}

/** The field of a name, in any letter case and with or without signs between its words; or the path in a body. */
export function findQueryField(name: string): QueryField | null {
  const path = parseBodyPath(name, findBodyRoot);
  if (path !== null) return toPathField(path);
  const wanted = foldName(name);
  return (
    QUERY_FIELDS.find(({ keyword, otherNames }) => keyword === wanted || otherNames.includes(wanted)) ?? null
  );
}

/** Returns the path in a body that a text begins with, in any of its names, and how long it is there. */
function findQueryPath(text: string): { readonly field: QueryField; readonly length: number } | null {
  const found = findBodyPath(text, findBodyRoot);
  const field = found === null ? null : toPathField(found.path);
  return found === null || field === null ? null : { field, length: found.length };
}

function findBodyRoot(name: string): PathRoot | null {
  if (foldName(name) === OWN_ROOT) return OWN_ROOT;
  if (foldName(name) === 'other' || foldName(name) === 'otherfields') return 'other';
  const known = findQueryField(name)?.field;
  return known === 'payload' || known === 'response' ? known : null;
}

function toPathField(path: BodyPath): QueryField | null {
  const field = writeBodyPath(path);
  return field === null ? null : { keyword: field, otherNames: [], field, kind: 'any', match: 'whole' };
}

/** The field whose name a misspelt one is nearest to; null where none is near. */
export function findNearField(name: string): QueryField | null {
  const wanted = foldName(name);
  const near = QUERY_FIELDS.flatMap((known) =>
    [known.keyword, ...known.otherNames].map((own) => ({ known, distance: countEdits(wanted, own) })),
  );
  const [best] = near.sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.min(2, Math.floor(wanted.length / 3))
    ? best.known
    : null;
}

function foldName(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '');
}

/** How many letters have to be typed, taken out, replaced or swapped to make one word of another. */
function countEdits(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, place) => place)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    const above = rows[i - 1] ?? [];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      let least = Math.min(
        (above[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (above[j - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      row.push(least);
    }
    rows.push(row);
  }
  return rows[one.length]?.[other.length] ?? Infinity;
}

/** How a query names a field; null for a search anywhere, which has no name. */
export function toQueryField(name: FilterField): QueryField | null {
  if (isBodyField(name)) return findQueryField(name);
  return QUERY_FIELDS.find((known) => known.field === name) ?? null;
}

/** Returns the nearest number above or below: ranges of a filter include their ends. */
export function toNextNumber(value: number, step: 1 | -1): number {
  if (value === 0) return step * Number.MIN_VALUE;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + BigInt(value > 0 ? step : -step));
  // Zero has no sign here.
  return bits.getFloat64(0) + 0;
}

/**
 * Returns the number that a bound lies just beyond, where it was meant: 500 for the least number above 500, which as a
 * text is far longer. Null for a bound that is meant itself.
 */
export function findOpenBound(bound: number, side: 'min' | 'max'): number | null {
  const meant = toNextNumber(bound, side === 'min' ? -1 : 1);
  return Number.isFinite(meant) && String(meant).length < String(bound).length ? meant : null;
}

/** A value of a query as typed, and the characters [from, to) that it stands in. */
export interface QueryToken {
  /** Quotes are taken away. */
  readonly text: string;
  /** `=` for the whole text, `~` for a part of it; empty where the field's own way holds. */
  readonly operator: '' | '=' | '~';
  /** What stood in quotes is taken literally. */
  readonly isQuoted: boolean;
  /** The texts around stars that stood in no quotes; null without such stars. */
  readonly pieces: readonly string[] | null;
  /** It stood between strokes: `text` is a regular expression. */
  readonly isRegex: boolean;
  readonly from: number;
  readonly to: number;
}

/** The characters [from, to) of a query. */
export interface QuerySpan {
  readonly from: number;
  readonly to: number;
}

export type QueryOperator = 'AND' | 'OR' | 'NOT';

/** Reads a query from left to right: words are parted by blanks, values by commas, and quotes keep both together. */
interface QueryReader {
  readonly place: number;
  /** The first quotes that are opened and never closed. */
  readonly unclosed: QuerySpan | null;
  skipBlanks(): void;
  /** Skips blanks; false where nothing stands behind them. */
  hasMore(): boolean;
  /** The operator that stands here; it is not passed. */
  findOperator(): QueryOperator | null;
  /** Passes a sign that stands here; false where it doesn't. */
  pass(sign: string): boolean;
  /** A minus or an exclamation mark that has something behind it. */
  passMinus(): boolean;
  /** The name of a field that stands here with its colon, which are passed. */
  passKeyword(): (QuerySpan & { readonly text: string }) | null;
  /** True where what stands here looks like the name of a field but is none: `TypeError: x`, `https://…`. */
  isLikeField(): boolean;
  /** Reads a value up to a blank, a bracket that is not its own, and a comma where that parts values. */
  readToken(where: 'bare' | 'listed'): QueryToken;
  moveTo(place: number): void;
}

const NAME = /^[a-z][a-z_-]*(?=:)/i;

/** Creates a reader over the text of a query. */
export function createQueryReader(query: string): QueryReader {
  let place = 0;
  let unclosed: QuerySpan | null = null;

  function skipBlanks(): void {
    while (/\s/.test(query.charAt(place))) place += 1;
  }

  function readQuoted(): string {
    let text = '';
    const opened = place;
    place += 1;
    while (place < query.length && query[place] !== '"') {
      if (query[place] === '\\' && /["\\]/.test(query.charAt(place + 1))) place += 1;
      text += query.charAt(place);
      place += 1;
    }
    if (place >= query.length) unclosed ??= { from: opened, to: query.length };
    place = Math.min(place + 1, query.length);
    return text;
  }

  /** A regular expression ends with the first stroke that has an end of the value behind it. */
  function findRegexEnd(isListed: boolean): number | null {
    if (query[place] !== '/') return null;
    for (let end = place + 1; end < query.length; end += 1) {
      if (query[end] === '\\') end += 1;
      else if (
        query[end] === '/' &&
        (isListed ? /^[,\s)]|^$/ : /^[\s)]|^$/).test(query.slice(end + 1, end + 2))
      )
        return end > place + 1 ? end : null;
    }
    return null;
  }

  function readToken(where: 'bare' | 'listed'): QueryToken {
    const from = place;
    const isListed = where === 'listed';
    const end = findRegexEnd(isListed);
    if (end !== null) {
      const text = query.slice(place + 1, end).replace(/\\./gs, (pair) => (pair === '\\/' ? '/' : pair));
      place = end + 1;
      return { text, operator: '', isQuoted: false, pieces: null, isRegex: true, from, to: place };
    }
    const [sign = '', next = ' '] = isListed ? query.slice(place, place + 2) : '';
    const isMarked = (sign === '=' || sign === '~') && !/[\s,]/.test(next);
    if (isMarked) place += 1;
    const operator = isMarked ? sign : '';
    const pieces: string[] = [];
    let piece = '';
    let isQuoted = false;
    let open = 0;
    for (; place < query.length; place += 1) {
      const own = query.charAt(place);
      if (/\s/.test(own) || (isListed && own === ',')) break;
      if (own === ')' && open === 0) break;
      if (own === '"') {
        isQuoted = true;
        piece += readQuoted();
        place -= 1;
      } else if (own === '*' && operator !== '=') {
        pieces.push(piece);
        piece = '';
      } else {
        if (own === '(') open += 1;
        if (own === ')') open -= 1;
        piece += own;
      }
    }
    pieces.push(piece);
    const isPlain = pieces.length === 1;
    return {
      text: pieces.join('*'),
      operator,
      isQuoted,
      pieces: isPlain ? null : pieces,
      isRegex: false,
      from,
      to: place,
    };
  }

  const findName = (): string | null => {
    const rest = query.slice(place);
    const path = findQueryPath(rest);
    if (path !== null && rest[path.length] === ':') return rest.slice(0, path.length);
    return NAME.exec(rest)?.[0] ?? null;
  };
  const isLikeField = (): boolean => {
    const name = findName();
    if (name === null) return false;
    const rest = query.slice(place + name.length + 1);
    if (rest.startsWith('//')) return true;
    return (/^\s/.test(rest) || /[_-]/.test(name)) && findQueryField(name) === null;
  };

  return {
    get place() {
      return place;
    },
    get unclosed() {
      return unclosed;
    },
    skipBlanks,
    hasMore() {
      skipBlanks();
      return place < query.length;
    },
    findOperator() {
      const [found] = /^(?:AND|OR|NOT)(?=[\s()]|$)/.exec(query.slice(place, place + 4)) ?? [];
      return (found as QueryOperator | undefined) ?? null;
    },
    pass(sign) {
      if (!query.startsWith(sign, place)) return false;
      place += sign.length;
      return true;
    },
    passMinus() {
      if (!/^[-!][^\s)]/.test(query.slice(place, place + 2))) return false;
      place += 1;
      return true;
    },
    passKeyword() {
      const name = findName();
      if (name === null || isLikeField()) return null;
      const from = place;
      place += name.length + 1;
      return { text: name, from, to: from + name.length };
    },
    isLikeField,
    readToken,
    moveTo(next) {
      place = next;
    },
  };
}

/** Puts a text in quotes, in which it stands for itself. */
export function quoteText(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
