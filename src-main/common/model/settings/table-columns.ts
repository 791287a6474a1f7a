import { Type, type Static } from 'typebox';
import { MAX_PATH_CHARACTERS } from '../records/body-path.ts';

/** A column of a detail table as the person set it up. */
export const TableColumn = Type.Object({
  /** A field of the records, or a path in their bodies or in a table of one's own. */
  id: Type.String({ maxLength: MAX_PATH_CHARACTERS }),
  widthPx: Type.Integer({ minimum: 20, maximum: 10_000 }),
  /** The side at which it stays while the others scroll. */
  pinned: Type.Union([Type.Literal('left'), Type.Literal('right'), Type.Null()]),
  hidden: Type.Boolean(),
});
export type TableColumn = Static<typeof TableColumn>;
/** The columns of a table, in order. */
export const TableColumns = Type.Array(TableColumn, { maxItems: 100 });
