import { type Static, Type } from 'typebox';
import { Outcome } from '../../reporting/outcome.ts';
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

/** A variable of a family's texts. */
const FamilyVariable = Type.Object({
  name: Type.String(),
  valueCount: Type.Integer(),
  /** At most fifty, those of the most records first. */
  values: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() })),
  /** Each record has another value. */
  neverRepeats: Type.Boolean(),
});

/** What is known of a family of errors in a period, and where it comes from. */
export const FamilyPage = Type.Object({
  /** Its name of now: it may have been merged or renamed since it was asked for. */
  family: Type.String(),
  /** What stands between the variables of its texts; one more than there are variables. */
  parts: Type.Array(Type.String()),
  variables: Type.Array(FamilyVariable),
  textCount: Type.Integer(),
  /** Records whose text has other parts. */
  otherCount: Type.Integer(),
  /** Whether there are more texts than were read for the variables. */
  isCut: Type.Boolean(),
  count: Type.Integer(),
  /** Records of the period with an error, and those that failed. */
  errorCount: Type.Integer(),
  failedCount: Type.Integer(),
  outcomes: Type.Array(Type.Object({ value: Outcome, count: Type.Integer() })),
  sessionCount: Type.Integer(),
  clientCount: Type.Integer(),
  /** Clients with more than one of its records. */
  repeatedClientCount: Type.Integer(),
  /** Of everything cached; null where no record has a date. */
  firstMs: Nullable(Type.Integer()),
  lastMs: Nullable(Type.Integer()),
  /** No record before the period has it, and enough before it is cached to say so. */
  isNew: Type.Boolean(),
  /** Channels and services of the period, with the family's records in each that has any. */
  channels: Type.Array(Nullable(Type.Integer())),
  services: Type.Array(Nullable(Type.Integer())),
  cells: Type.Array(
    Type.Object({
      channel: Nullable(Type.Integer()),
      service: Nullable(Type.Integer()),
      count: Type.Integer(),
    }),
  ),
  /** Its newest records; `values` are null where the text has other parts. */
  samples: Type.Array(
    Type.Object({
      snapshotId: Type.Integer(),
      seq: Type.Integer(),
      dateMs: Nullable(Type.Integer()),
      channel: Nullable(Type.Integer()),
      service: Nullable(Type.Integer()),
      sessionId: Type.String(),
      text: Type.String(),
      values: Nullable(Type.Array(Type.String())),
    }),
  ),
  /** Families of the period that read alike, the most alike first. */
  similar: Type.Array(Type.Object({ family: Type.String(), count: Type.Integer(), likeness: Type.Number() })),
});
export type FamilyPage = Static<typeof FamilyPage>;
