import { foldCase } from '../fold-case.ts';
import { findQueryField } from './query-fields.ts';
import type { QueryOperator, QuerySpan } from './query-reader.ts';

/** What a person can put in the place of the characters [from, to) of a query. */
export interface QueryOffer extends QuerySpan {
  /** What was perhaps meant, or the same characters in quotes, to be searched as they stand. */
  readonly kind: 'meant' | 'quoted';
  readonly text: string;
}

/** What a query that is understood was perhaps meant to say. */
export interface QueryHint {
  /**
   * A word that joins conditions elsewhere is searched as a text here; or a text looks as if it named a field, as an address
   * does, or as a comparison without a colon.
   */
  readonly kind: 'operator' | 'like-field' | 'address' | 'comparison';
  readonly text: string;
  readonly offers: readonly QueryOffer[];
}

/** What joins conditions in other letter case, in other languages and in other programs. */
const MEANT: Readonly<Record<QueryOperator, readonly string[]>> = {
  OR: ['or', 'o', 'u', 'ou', 'oder', '||', '|'],
  AND: ['and', 'y', 'e', 'und', '&&', '&'],
  NOT: ['not', 'no', 'não', 'nao', 'nicht'],
};
/** Words that are rare in what is searched for. */
const PLAIN: readonly string[] = ['or', 'oder', 'ou', 'and', 'und'];

/**
 * Finds a bare word between others that was perhaps meant to join them. A short or common word is taken for one only
 * where a condition on a field stands beside it, or it is in capitals.
 */
export function findMeantOperator(
  bare: readonly (QuerySpan & { readonly text: string; readonly place: number })[],
  terms: readonly { readonly isText: boolean }[],
): QueryHint | null {
  for (const { text, place, from, to } of bare) {
    const folded = foldCase(text);
    const operator = (Object.keys(MEANT) as QueryOperator[]).find((name) => MEANT[name].includes(folded));
    if (operator === undefined) continue;
    const [before, after] = [terms[place - 1], terms[place + 1]];
    if (after === undefined || (operator !== 'NOT' && before === undefined)) continue;
    const isBeside = before?.isText === false || !after.isText;
    const isShouted = text !== text.toLowerCase() || !/\p{L}/u.test(text);
    if (!isBeside && !isShouted && !PLAIN.includes(folded)) continue;
    return { kind: 'operator', text, offers: [{ kind: 'meant', from, to, text: operator }] };
  }
  return null;
}

/** Finds a comparison as other programs write it: `code>=500`, `client=Ann`. */
export function findMeantTerm(text: string, { from, to }: QuerySpan): QueryHint | null {
  const [found, name = '', sign = '', value = ''] =
    /^([a-z][\w.-]*?)(!=|==|=|<=|>=|<|>)([^\s=<>!].*)$/i.exec(text) ?? [];
  const known = found === undefined ? null : findQueryField(name);
  if (known === null) return null;
  const minus = sign === '!=' ? '-' : '';
  const meant = `${minus}${known.keyword}:${/^[<>]/.test(sign) ? sign : ''}${value}`;
  return { kind: 'comparison', text, offers: [{ kind: 'meant', from, to, text: meant }] };
}
