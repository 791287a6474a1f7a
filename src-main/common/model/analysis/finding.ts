import { Type, type Static } from 'typebox';
import { DAY_MS } from '../../time/durations.ts';
import { DirectionSchema } from '../cache/snapshot.ts';
import { Nullable } from '../nullable.ts';
import { RecordFilter } from '../records/record-filter.ts';
import { FINDING_KINDS, FINDING_KIND_ROWS } from './finding-kinds.ts';

const FindingKind = Type.Enum([...FINDING_KINDS]);

/** Fields that say more closely than channel and service where something is. */
export const PLACE_FIELDS = ['origin', 'actionId'] as const;
export type PlaceField = (typeof PLACE_FIELDS)[number];
/** An action that none executed. */
export const NO_ACTION = '-1';

/** Fields that say of which records something is: a place, or the code that failing requests have. */
const CLOSER_FIELDS = [...PLACE_FIELDS, 'responseCode'] as const;
const CloserPlace = Type.Object({
  field: Type.Enum([...CLOSER_FIELDS]),
  value: Type.String(),
});
export type CloserPlace = Static<typeof CloserPlace>;

/** One incident. */
export const Finding = Type.Object({
  /** The same for the same incident, whenever it is asked for. */
  id: Type.String(),
  kind: FindingKind,
  /** What else was unusual about the same requests. */
  also: Type.Array(FindingKind),
  /** What was reported as down, or as up again too early; null for all other kinds. */
  part: Type.Union([Type.Literal('platform'), Type.Literal('connector'), Type.Null()]),
  /** The directions in which it shows, the clearest one first. */
  directions: Type.Array(DirectionSchema, { minItems: 1 }),
  /** Channel and service of the requests; null for any. */
  channel: Nullable(Type.Integer()),
  service: Nullable(Type.Integer()),
  /** Which of those requests alone it is of, where one value explains it; what is counted and measured is of them. */
  within: Type.Array(CloserPlace, { maxItems: CLOSER_FIELDS.length }),
  sinceMs: Type.Integer(),
  /** Exclusive; null while it goes on. */
  endedMs: Nullable(Type.Integer()),
  /** Traffic was looked at up to here; the finding's records are dated before. */
  untilMs: Type.Integer(),
  /**
   * Requests of its channel and service in its span, and how many of them failed, had the new error, or (times)
   * succeeded.
   */
  requests: Type.Integer(),
  count: Type.Integer(),
  /** Sessions and clients that those are of. */
  sessionCount: Type.Integer(),
  clientCount: Type.Integer(),
  /** How many records its filter shows in each of its directions. */
  shown: Type.Array(Type.Object({ direction: DirectionSchema, count: Type.Integer() })),
  /** A share of failing requests, a median in milliseconds of times, a number of requests for volume. */
  recent: Type.Number(),
  usual: Type.Number(),
  /** What `usual` was learned from: the same hour of earlier days, the hours before, or the same time of the weeks before. */
  source: Type.Union([Type.Literal('days'), Type.Literal('hours'), Type.Literal('weeks')]),
  /** The most frequent pattern of the errors; null where none has a text. */
  errorFamily: Nullable(Type.String()),
  /** That pattern was not seen in the week before. */
  isNewFamily: Type.Boolean(),
  /** Sessions with the most of its records. */
  examples: Type.Array(Type.Object({ direction: DirectionSchema, sessionId: Type.String() })),
  /** Shows exactly its records. */
  filter: RecordFilter,
  /** The measure in equal spans up to the end, for mini bars. */
  trend: Type.Array(Type.Number()),
});
export type Finding = Static<typeof Finding>;

/** What a finding is put into words by: nothing of the contents of records. */
export const ToldFinding = Type.Pick(Finding, [
  'id',
  'kind',
  'part',
  'directions',
  'channel',
  'service',
  'within',
  'sinceMs',
  'endedMs',
  'untilMs',
  'requests',
  'count',
  'sessionCount',
  'clientCount',
  'recent',
  'usual',
  'source',
]);
export type ToldFinding = Static<typeof ToldFinding>;

/** Why it can't be said that nothing stands out. */
export const FindingsGap = Type.Object({
  direction: DirectionSchema,
  /** Some of the last hour is not cached; or it is, and too little before it. */
  reason: Type.Union([Type.Literal('not-cached'), Type.Literal('not-learned')]),
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
});
export type FindingsGap = Static<typeof FindingsGap>;

const NoticedSize = Nullable(Type.Object({ size: Type.Number(), hours: Type.Number() }));

/** How large something would have had to be, for so many minutes, to be told: in 95 of 100 cases it would have been. */
export const NoticedSizes = Type.Object({
  minutes: Type.Integer(),
  /** How long the period is known, in both directions. */
  hours: Type.Number(),
  /** In the order of their numbers. A size is that of the direction that shows less, in so many of the hours. */
  channels: Type.Array(
    Type.Object({
      channel: Type.Integer(),
      /** The share of requests that fail; null with too few requests to tell. */
      failing: NoticedSize,
      /** The share of requests that don't come; null with too few. */
      fewer: NoticedSize,
    }),
  ),
});
export type NoticedSizes = Static<typeof NoticedSizes>;

/** What stands out in the traffic of a connection. */
export const FindingsReport = Type.Object({
  /** What goes on, the worst first. */
  findings: Type.Array(Finding),
  /** What ended in the 24 hours before the end of what is cached, or in the period that was asked for; the newest first. */
  resolved: Type.Array(Finding),
  /** The end of what is cached; null where nothing is. */
  untilMs: Nullable(Type.Integer()),
  /** Empty where everything needed to judge the last hour is cached, in both directions. */
  gaps: Type.Array(FindingsGap),
  /** Absent where something stands out, or where it is not known whether anything does. */
  noticed: Type.Optional(NoticedSizes),
});
export type FindingsReport = Static<typeof FindingsReport>;

/** What comes again later than this is another incident. */
const COMES_BACK_MS = 7 * DAY_MS;

/** True for a finding that is the same incident as one that had ended: at the same place, with the same errors. */
export function comesBack(before: Finding | undefined, after: Finding): boolean {
  if (before === undefined || before.endedMs === null) return false;
  return (
    FINDING_KIND_ROWS[before.kind].sameAs === FINDING_KIND_ROWS[after.kind].sameAs &&
    before.part === after.part &&
    before.channel === after.channel &&
    before.service === after.service &&
    !isElsewhere(before, after) &&
    before.errorFamily === after.errorFamily &&
    before.directions[0] === after.directions[0] &&
    after.sinceMs >= before.endedMs &&
    after.sinceMs - before.endedMs <= COMES_BACK_MS
  );
}

/** Those of which all requests of a finding are: a code is of those alone that failed. */
export function listPlaces(within: readonly CloserPlace[]): CloserPlace[] {
  return within.filter(({ field }) => PLACE_FIELDS.some((own) => own === field));
}

/** True for two that are of different values of a field that names a place. */
export function isElsewhere(
  one: { readonly within?: readonly CloserPlace[] | undefined },
  other: { readonly within?: readonly CloserPlace[] | undefined },
): boolean {
  return listPlaces(one.within ?? []).some(({ field, value }) =>
    (other.within ?? []).some((closer) => closer.field === field && closer.value !== value),
  );
}
