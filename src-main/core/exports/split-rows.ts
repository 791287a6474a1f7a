/** Text is handed to a file in pieces of about this many characters; between two of them other calls come in. */
const PIECE_CHARS = 1_000_000;
const PIECE_ROWS = 500;

/** Divides rows into those that are written at once: whole records can be large; a piece of text must not be. */
export function* splitRows<Row>(
  batch: readonly Row[],
  measure: (row: Row) => number,
): Generator<readonly Row[]> {
  let start = 0;
  let chars = 0;
  for (const [index, row] of batch.entries()) {
    chars += measure(row);
    if (chars < PIECE_CHARS && index - start + 1 < PIECE_ROWS) continue;
    yield batch.slice(start, index + 1);
    start = index + 1;
    chars = 0;
  }
  if (start < batch.length) yield batch.slice(start);
}
