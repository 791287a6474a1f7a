/**
 * Returns a function that makes a format at its first use and keeps it: a scroll formats hundreds of values, a format
 * costs more to create than to use, and a start needs two or three of twenty.
 */
export function createOnce<Format extends object>(create: () => Format): () => Format {
  let made: Format | undefined;
  return () => (made ??= create());
}
