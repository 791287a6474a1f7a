import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

/** Errors that read alike once their variable parts are folded. */
export const ErrorFamily = Type.Object({
  /** The text with `<number>`, `<id>`, `<value>` and `<address>` in the place of what varies. */
  pattern: Type.String(),
  count: Type.Integer(),
  /** Null where no record has a date. */
  firstMs: Nullable(Type.Integer()),
  lastMs: Nullable(Type.Integer()),
  /** Those with the most records first, as are the services and codes. */
  channels: Type.Array(Type.Integer()),
  services: Type.Array(Type.Integer()),
  responseCodes: Type.Array(Type.Integer()),
  /** Distinct texts, the most frequent first, at most ten. */
  examples: Type.Array(Type.Object({ text: Type.String(), count: Type.Integer() })),
  /** Number of distinct texts. */
  textCount: Type.Integer(),
  /** Records in equal spans of the period. */
  trend: Type.Array(Type.Integer()),
});
export type ErrorFamily = Static<typeof ErrorFamily>;

/** The errors of some records by family, the most frequent first. */
export const ErrorFamilies = Type.Object({
  /** At most 200. */
  families: Type.Array(ErrorFamily),
  familyCount: Type.Integer(),
  /** Records with an error, those of families that are not listed included. */
  errorCount: Type.Integer(),
  recordCount: Type.Integer(),
});
export type ErrorFamilies = Static<typeof ErrorFamilies>;
