import { findQueryField, findQueryPath } from './query-fields.ts';

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
export interface QueryReader {
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
