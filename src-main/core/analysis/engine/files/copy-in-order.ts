/** How a file's rows are selected and copied. */
export interface OrderedCopy {
  /** The statement whose rows are copied. */
  readonly select: string;
  /** Options of COPY beside those of the format. */
  readonly copyOptions: string;
}

/**
 * Has rows copied in the order in which they are stored, or in that of `order`. Where several threads copy, they hold the
 * rows of many batches until their turn comes, which takes hundreds of megabytes and half as much of the processors' time
 * again. Numbering the rows takes one thread, from which they come in their order; it has nothing to put in order then.
 */
export function copyInOrder(
  columns: string,
  { from, order }: { readonly from: string; readonly order: string },
): OrderedCopy {
  // Rows that were sorted come from several threads again.
  if (order !== '') return { select: `SELECT ${columns} ${from}${order}`, copyOptions: '' };
  const numbered = `(SELECT *, row_number() OVER () AS row_place ${from})`;
  return {
    select: `SELECT ${columns} FROM ${numbered} WHERE row_place > 0`,
    copyOptions: ', PRESERVE_ORDER false',
  };
}
