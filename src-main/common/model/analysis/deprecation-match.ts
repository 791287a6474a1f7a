import { Type, type Static } from 'typebox';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { Nullable } from '../nullable.ts';

/** The most that is looked for of one deprecation, and of how many. */
export const MAX_SIGNS = 20;
export const MAX_SIGN_CHARACTERS = 200;
export const MAX_WATCHED = 50;

const Id = Type.String({ minLength: 1, maxLength: 64 });

/** How a connection's records show that they use something: a record that has any of these does. */
export const DeprecationSigns = Type.Object({
  /** Found anywhere in a record, in any letter case. */
  texts: Type.Array(Type.String({ minLength: 1, maxLength: MAX_SIGN_CHARACTERS }), { maxItems: MAX_SIGNS }),
  channels: Type.Array(Type.Integer(), { maxItems: MAX_SIGNS }),
  /** Response codes. */
  codes: Type.Array(Type.Integer(), { maxItems: MAX_SIGNS }),
});
export type DeprecationSigns = Static<typeof DeprecationSigns>;

/** What a person looks for instead of what comes with the application, by the id of the deprecation. */
export const ConnectionSigns = Type.Record(Id, DeprecationSigns);
export type ConnectionSigns = Static<typeof ConnectionSigns>;

export const WatchedDeprecation = Type.Object({ id: Id, signs: DeprecationSigns });
export type WatchedDeprecation = Static<typeof WatchedDeprecation>;

const Found = {
  count: Type.Integer(),
  /** Of records with a date; null for none. */
  firstMs: Nullable(Type.Integer()),
  lastMs: Nullable(Type.Integer()),
};
const DirectionSchema = Type.Enum([...DIRECTIONS]);

/** One sign in the records of one direction. */
export const FoundSign = Type.Object({
  direction: DirectionSchema,
  sign: Type.Union([
    Type.Object({ kind: Type.Literal('text'), value: Type.String() }),
    Type.Object({ kind: Type.Enum(['channel', 'code']), value: Type.Integer() }),
  ]),
  ...Found,
});
export type FoundSign = Static<typeof FoundSign>;

export const DeprecationMatch = Type.Object({
  id: Id,
  /** Records that have any of the signs, each counted once. */
  ...Found,
  /** Those that were found, the most frequent first. */
  signs: Type.Array(FoundSign),
});
export type DeprecationMatch = Static<typeof DeprecationMatch>;

/** The records of one direction that were looked through. */
export const SearchedRecords = Type.Object({
  direction: DirectionSchema,
  ...Found,
  /** Of the time from the first to the last moment that is cached, how much isn't. */
  missingMs: Type.Integer(),
});
export type SearchedRecords = Static<typeof SearchedRecords>;

export const DeprecationMatches = Type.Object({
  matches: Type.Array(DeprecationMatch),
  /** Directions of which records are cached. */
  searched: Type.Array(SearchedRecords),
});
export type DeprecationMatches = Static<typeof DeprecationMatches>;
