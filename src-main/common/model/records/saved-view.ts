import { Type, type Static } from 'typebox';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { MAX_PATH_CHARACTERS } from './body-path.ts';

export const MAX_SAVED_VIEWS = 100;
export const MAX_VIEW_NAME_CHARACTERS = 60;
/** Longest query of a saved view, in characters. */
export const MAX_FILTER_QUERY_CHARACTERS = 10_000;

/** A column of a detail table as the person set it up. */
export const TableColumn = Type.Object({
  /** A field of the records, or a path in their bodies or in a table of one's own. */
  id: Type.String({ maxLength: MAX_PATH_CHARACTERS }),
  widthPx: Type.Integer({ minimum: 20, maximum: 10_000 }),
  /** The side at which it stays while the others scroll. */
  pinned: Type.Union([Type.Literal('left'), Type.Literal('right'), Type.Null()]),
  hidden: Type.Boolean(),
});

/** The columns of a table, in order. */
export const TableColumns = Type.Array(TableColumn, { maxItems: 100 });

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

export type TableColumn = Static<typeof TableColumn>;
