import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

/** Saved settings that can't be used. Nothing of them was deleted. */
export const SetAsideSettings = Type.Object({
  /** Names, as the file has them, of values that this version can't use; they stay in the file. */
  names: Type.Array(Type.String()),
  fileName: Type.String(),
  /** The file that was moved aside because it is no list of settings; null where that wasn't needed. */
  keptFile: Nullable(Type.String()),
});
export type SetAsideSettings = Static<typeof SetAsideSettings>;
