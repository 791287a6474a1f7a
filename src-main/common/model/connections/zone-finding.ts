import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

/** One thing that speaks for or against a zone; `code` selects the words, `values` fill them. */
const ZoneEvidence = Type.Object({
  code: Type.Union([
    Type.Literal('no-records'),
    Type.Literal('newest-record'),
    Type.Literal('own-clock'),
    Type.Literal('explicit-dates'),
    Type.Literal('in-future'),
    Type.Literal('just-now'),
    Type.Literal('stopped'),
    Type.Literal('quiet'),
  ]),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
});
export type ZoneEvidence = Static<typeof ZoneEvidence>;

/** Whether the service time zone of a connection agrees with the service's records. */
export const ZoneFinding = Type.Object({
  verdict: Type.Union([
    Type.Literal('fits'),
    Type.Literal('wrong'),
    /** Probably wrong; a service that really had no traffic for a while looks the same. */
    Type.Literal('likely-wrong'),
    Type.Literal('unsure'),
  ]),
  zone: Type.String(),
  /** `UTC` or a fixed offset such as `+05:45`; null where none is proposed. */
  proposedZone: Nullable(Type.String()),
  evidence: Type.Array(ZoneEvidence),
});
export type ZoneFinding = Static<typeof ZoneFinding>;
