/**
 * The next number in the order in which snapshots were fetched, as SQL: larger than that of every other one. No clock
 * decides what is newer, since a clock may be set back, and files of others were made by theirs.
 */
export const NEXT_FETCHED_ORDER = '(SELECT coalesce(max(fetched_order), 0) + 1 FROM snapshots)';
