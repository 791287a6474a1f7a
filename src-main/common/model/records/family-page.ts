import { Type, type Static } from 'typebox';
import { Outcome } from '../../reporting/outcome.ts';
import { Nullable } from '../nullable.ts';

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
