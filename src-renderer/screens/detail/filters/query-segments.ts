import type { ParsedQuery } from '../../../../src-main/common/query/parse-query.ts';

/** A part of a query that is drawn alike. */
interface QuerySegment {
  readonly text: string;
  /** The name of a field, or what joins conditions. */
  readonly kind: 'field' | 'operator' | null;
  readonly isWrong: boolean;
}

/** Cuts a query where its colour changes; joined, the parts are the query. */
export function toQuerySegments(
  query: string,
  { words, error }: Pick<ParsedQuery, 'words' | 'error'>,
): QuerySegment[] {
  const wrong = error === null ? [] : [error];
  const edges = [0, query.length, ...[...words, ...wrong].flatMap(({ from, to }) => [from, to])];
  const places = [...new Set(edges)].sort((a, b) => a - b);
  return places.slice(1).map((to, index) => {
    const from = places[index] ?? 0;
    const isIn = (span: { from: number; to: number }): boolean => from >= span.from && from < span.to;
    return { text: query.slice(from, to), kind: words.find(isIn)?.kind ?? null, isWrong: wrong.some(isIn) };
  });
}
