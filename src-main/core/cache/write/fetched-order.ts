/**
 * The next number in the order in which snapshots were fetched, as SQL: larger than that of every other one, and than those
 * of a damaged file whose snapshots are still to be brought over. No clock decides what is newer, since a clock may be set
 * back, and files of others were made by theirs.
 */
export const NEXT_FETCHED_ORDER =
  '(SELECT max(reserved_order, (SELECT coalesce(max(fetched_order), 0) FROM snapshots)) + 1 FROM cache_state)';
