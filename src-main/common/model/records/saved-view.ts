import { Type, type Static } from 'typebox';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { TableColumns } from '../settings/table-columns.ts';

export const MAX_SAVED_VIEWS = 100;
export const MAX_VIEW_NAME_CHARACTERS = 60;
/** Longest query of a saved view, in characters. */
export const MAX_FILTER_QUERY_CHARACTERS = 10_000;

/** How a person looks at detail records, saved under a name; no two have one name, whatever its letter case. */
export const SavedView = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_VIEW_NAME_CHARACTERS }),
  /** Direction of the records that it was saved for. */
  direction: Type.Enum(DIRECTIONS),
  /** The filter as a query, its times in UTC; '' for none. */
  query: Type.String({ maxLength: MAX_FILTER_QUERY_CHARACTERS }),
  /** What else of the screen its address carries, such as its tab, its order and the grouping of errors. */
  shown: Type.Optional(
    Type.Record(Type.String({ maxLength: 20 }), Type.String({ maxLength: 500 }), { maxProperties: 20 }),
  ),
  /** As an address carries it: one that moves, such as the last 7 days, or one that doesn't. Without one, that of the window stays. */
  period: Type.Optional(Type.String({ maxLength: 200 })),
  /** Without them, those of the window stay; none stand for those of the application. */
  columns: Type.Optional(TableColumns),
});
export type SavedView = Static<typeof SavedView>;
