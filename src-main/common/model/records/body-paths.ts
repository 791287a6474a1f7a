import { Type, type Static } from 'typebox';
import { MAX_PATH_CHARACTERS } from './body-path.ts';

/** What the value at a path is; an object and an array are values too, as their text. */
export const PATH_TYPES = ['text', 'number', 'boolean', 'object', 'array', 'null'] as const;
export type PathType = (typeof PATH_TYPES)[number];

/** Paths that are listed; those of the most records. */
export const MAX_LISTED_PATHS = 500;
/** Paths that are shown among the fields at most. */
export const MAX_SHOWN_PATHS = 12;
/** Longest value at a path that a row shows, in characters. */
export const MAX_CELL_CHARACTERS = 1000;
/** Records that are read before all of them are. */
export const SAMPLED_RECORDS = 2000;

export const PathText = Type.String({ minLength: 1, maxLength: MAX_PATH_CHARACTERS });

/** A path that records have in their bodies. */
export const FoundPath = Type.Object({
  path: Type.String(),
  /** Records, of those that were read, that have it at least once. */
  recordCount: Type.Integer(),
  /** What it is in them, the most frequent first: one record may have several in an array. */
  types: Type.Array(Type.Object({ type: Type.Enum([...PATH_TYPES]), count: Type.Integer() })),
});
export type FoundPath = Static<typeof FoundPath>;

/** Paths in the bodies of some records. */
export const FoundPaths = Type.Object({
  /** Those of the most records first. */
  paths: Type.Array(FoundPath),
  /** All that were found; fewer are listed where there are more than MAX_LISTED_PATHS. */
  pathCount: Type.Integer(),
  /** Records that were read, of all that there are: fewer in a sample. */
  readCount: Type.Integer(),
  recordCount: Type.Integer(),
});
export type FoundPaths = Static<typeof FoundPaths>;

/** What records have at a path. */
export const PathValues = Type.Object({
  recordCount: Type.Integer(),
  /** Different values, the empty one not counted. */
  distinctCount: Type.Integer(),
  /** The most frequent ones. A record with several in an array counts for each. */
  values: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() })),
  /** Records without a value. */
  blankCount: Type.Integer(),
});
export type PathValues = Static<typeof PathValues>;
