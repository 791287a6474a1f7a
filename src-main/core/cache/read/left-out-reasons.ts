/**
 * Why an entry that can be read is not among the records of its snapshot: the slice before holds it as often, or it
 * lies in the second before or after the period. Stored with the entries that can't be read, but not counted among them.
 */
export const LEFT_OUT_REASONS = {
  double: 'seen-at-cut',
  earlier: 'before-period',
  later: 'after-period',
} as const;

/** A condition of SQL on `reason`: true for entries that can't be read. */
export const IS_UNREADABLE = `reason NOT IN (${Object.values(LEFT_OUT_REASONS)
  .map((reason) => `'${reason}'`)
  .join(', ')})`;
