import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

/** What errors can be grouped by besides how they read. */
export const ERROR_GROUPINGS = ['responseCode', 'channel', 'service'] as const;
export type ErrorGrouping = (typeof ERROR_GROUPINGS)[number];

const ErrorFigures = Type.Object({
  count: Type.Integer(),
  /** Distinct sessions and clients that the records name. */
  sessionCount: Type.Integer(),
  clientCount: Type.Integer(),
  /** Null where no record has a date. */
  firstMs: Nullable(Type.Integer()),
  lastMs: Nullable(Type.Integer()),
  /** Those with the most records first, as are the services and codes. */
  channels: Type.Array(Type.Integer()),
  services: Type.Array(Type.Integer()),
  responseCodes: Type.Array(Type.Integer()),
  /** Distinct texts, the most frequent first, at most ten: those of a family, and the families of another group. */
  examples: Type.Array(Type.Object({ text: Type.String(), count: Type.Integer() })),
  /** Number of distinct texts. */
  textCount: Type.Integer(),
  /** Records in equal spans of the period. */
  trend: Type.Array(Type.Integer()),
});
export type ErrorFigures = Static<typeof ErrorFigures>;

const Totals = Type.Object({
  /** Records with an error, those of what is not listed included. */
  errorCount: Type.Integer(),
  recordCount: Type.Integer(),
});

/** Errors that read alike once their variable parts are folded. */
export const ErrorFamily = Type.Object({
  /** Codes and text, with words in angle brackets (`<number>`, `<name>` …) in the place of what varies. */
  pattern: Type.String(),
  ...ErrorFigures.properties,
});
export type ErrorFamily = Static<typeof ErrorFamily>;

/** The errors of some records by family, the most frequent first. */
export const ErrorFamilies = Type.Object({
  /** At most 200. */
  families: Type.Array(ErrorFamily),
  familyCount: Type.Integer(),
  ...Totals.properties,
});
export type ErrorFamilies = Static<typeof ErrorFamilies>;

/** The errors of some records by code, channel or service, the most frequent first. */
export const ErrorGroups = Type.Object({
  /** At most 200. */
  groups: Type.Array(Type.Object({ value: Nullable(Type.Integer()), ...ErrorFigures.properties })),
  groupCount: Type.Integer(),
  ...Totals.properties,
});
export type ErrorGroups = Static<typeof ErrorGroups>;
