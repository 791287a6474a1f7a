import { findQueryField } from './query-fields.ts';

/** A term of a query as typed, and where it stands. */
export interface QueryTerm {
  readonly isExcluded: boolean;
  /** Null for a bare text. */
  readonly keyword: string | null;
  /** True for a text that looks as if it named a field: `TypeError: x`, `https://…`. */
  readonly isLikeField?: true;
  /** Values between commas; quotes are taken away. */
  readonly values: readonly QueryToken[];
  readonly from: number;
  readonly to: number;
}

export interface QueryToken {
  readonly text: string;
  /** `=` for the whole text, `~` for a part of it; empty where the field's own way holds. */
  readonly operator: '' | '=' | '~';
  /** What stood in quotes is taken literally. */
  readonly isQuoted: boolean;
  readonly from: number;
  readonly to: number;
}

/** Where quotes are opened and never closed. */
export interface UnclosedQuote {
  readonly from: number;
  readonly to: number;
}

/** Cuts a query into its terms; words are parted by spaces, values by commas, and quotes keep both together. */
export function splitQuery(query: string): { terms: QueryTerm[]; unclosed: UnclosedQuote | null } {
  const terms: QueryTerm[] = [];
  let unclosed: UnclosedQuote | null = null;
  let place = 0;

  const readOperator = (stops: string): QueryToken['operator'] => {
    const [operator = '', next = ' '] = query.slice(place, place + 2);
    if ((operator !== '=' && operator !== '~') || stops.includes(next)) return '';
    place += 1;
    return operator;
  };
  const readToken = (stops: string, hasOperator: boolean): QueryToken => {
    const from = place;
    const operator = hasOperator ? readOperator(stops) : '';
    let text = '';
    let isQuoted = false;
    while (place < query.length && !stops.includes(query[place] ?? '')) {
      if (query[place] !== '"') {
        text += query.charAt(place);
        place += 1;
        continue;
      }
      isQuoted = true;
      const opened = place;
      place += 1;
      while (place < query.length && query[place] !== '"') {
        if (query[place] === '\\' && /["\\]/.test(query.charAt(place + 1))) place += 1;
        text += query.charAt(place);
        place += 1;
      }
      if (place >= query.length) unclosed ??= { from: opened, to: query.length };
      place += 1;
    }
    place = Math.min(place, query.length);
    return { text, operator, isQuoted, from, to: place };
  };

  while (place < query.length) {
    if (/\s/.test(query[place] ?? '')) {
      place += 1;
      continue;
    }
    const from = place;
    const isExcluded = query[place] === '-' && /[^\s]/.test(query[place + 1] ?? ' ');
    if (isExcluded) place += 1;
    const word = /^[a-z]+(?=:)/i.exec(query.slice(place))?.[0] ?? null;
    const isLikeField = word !== null && isText(word, query.slice(place + word.length + 1));
    const keyword = isLikeField ? null : word;
    if (keyword === null) {
      const token = readToken(' \t\n\r', false);
      terms.push({
        isExcluded,
        keyword,
        ...(isLikeField ? { isLikeField } : {}),
        values: [token],
        from,
        to: place,
      });
      continue;
    }
    place += keyword.length;
    const values: QueryToken[] = [];
    do {
      place += 1;
      values.push(readToken(', \t\n\r', true));
    } while (query[place] === ',');
    terms.push({ isExcluded, keyword, values, from, to: place });
  }
  return { terms, unclosed };
}

/** No field has a name before `//`, nor a value after a blank, as messages of errors do. */
function isText(word: string, rest: string): boolean {
  return rest.startsWith('//') || (/^\s/.test(rest) && findQueryField(word) === null);
}
