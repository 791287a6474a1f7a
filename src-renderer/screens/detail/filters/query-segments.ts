import type { QueryError } from '../../../../src-main/common/query/parse-query.ts';
import { splitQuery } from '../../../../src-main/common/query/split-query.ts';

/** A part of a query that is drawn alike. */
interface QuerySegment {
  readonly text: string;
  readonly isKeyword: boolean;
  readonly isWrong: boolean;
}

/** Cuts a query where its colour changes; joined, the parts are the query. */
export function toQuerySegments(query: string, error: QueryError | null): QuerySegment[] {
  const keywords = splitQuery(query).terms.flatMap(({ keyword, isExcluded, from }) => {
    const start = from + (isExcluded ? 1 : 0);
    return keyword === null ? [] : [{ from: start, to: start + keyword.length + 1 }];
  });
  const wrong = error === null ? [] : [error];
  const edges = [0, query.length, ...[...keywords, ...wrong].flatMap(({ from, to }) => [from, to])];
  const places = [...new Set(edges)].sort((a, b) => a - b);
  return places.slice(1).map((to, index) => {
    const from = places[index] ?? 0;
    const isIn = (span: { from: number; to: number }): boolean => from >= span.from && from < span.to;
    return { text: query.slice(from, to), isKeyword: keywords.some(isIn), isWrong: wrong.some(isIn) };
  });
}
