import { Type, type Static } from 'typebox';
import { DIRECTIONS } from '../../reporting/reports.ts';

export const MAX_SAVED_FILTERS = 100;
export const MAX_FILTER_NAME_CHARACTERS = 60;
/** Longest query of a saved filter, in characters. */
export const MAX_FILTER_QUERY_CHARACTERS = 10_000;

/** A filter of detail records that the person saved; no two have one name, whatever its letter case. */
export const SavedFilter = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_FILTER_NAME_CHARACTERS }),
  /** Direction of the records that it was saved for. */
  direction: Type.Enum(DIRECTIONS),
  /** The filter as a query, its times in UTC. */
  query: Type.String({ minLength: 1, maxLength: MAX_FILTER_QUERY_CHARACTERS }),
});
export type SavedFilter = Static<typeof SavedFilter>;
