import { type Static, Type } from 'typebox';
import type { Direction } from '../../reporting/reports.ts';
import { Nullable } from '../nullable.ts';
import {
  type BodyField,
  isBodyField,
  MAX_PATH_CHARACTERS,
  parseBodyPath,
  writeBodyPath,
} from '../records/body-path.ts';
import { hasField, listFieldsWith, TIMED_FIELDS } from '../records/record-fields.ts';

/** What records can be grouped by. A field that the report lacks is null in every group. */
export const GROUP_FIELDS = listFieldsWith('grouped');
export const GroupField = Type.Enum([...GROUP_FIELDS]);
export type GroupField = (typeof GROUP_FIELDS)[number];

/** A field, or a path in a body or a column of a table of one's own, that has one value in a record. */
export type GroupKey = GroupField | BodyField;
export const GroupKey = Type.Unsafe<GroupKey>(
  Type.Union([GroupField, Type.String({ minLength: 1, maxLength: MAX_PATH_CHARACTERS })]),
);

/** True for a path that records can be grouped by: an array has any number of values. */
export function isGroupPath(field: string): field is BodyField {
  const path = isBodyField(field) ? parseBodyPath(field) : null;
  return path !== null && writeBodyPath(path) === field && !path.steps.includes(null);
}

/** The fields that the records of a direction have. */
export function listGroupFields(direction: Direction): readonly GroupField[] {
  return GROUP_FIELDS.filter((field) => hasField(field, direction));
}

/** Most fields that records can be grouped by at once. */
export const MAX_GROUP_FIELDS = 2;
/** Most groups that are listed; the rest is only counted. */
export const MAX_GROUPS = 5000;

const Figure = Nullable(Type.Number());

/**
 * Times of some records in milliseconds; all null where no record has one. Percentiles are continuous: of n sorted values
 * the one at place p * (n - 1), from 0; between two places what lies between their values, in proportion.
 */
export const Latency = Type.Object({
  /** Records with a figure; the rest take no part. */
  count: Type.Integer(),
  averageMs: Figure,
  medianMs: Figure,
  p90Ms: Figure,
  p95Ms: Figure,
  p99Ms: Figure,
  maxMs: Figure,
});
export type Latency = Static<typeof Latency>;

/** A value of a field; null where a record has none. */
export const GroupValue = Type.Union([Type.Number(), Type.String(), Type.Null()]);
export type GroupValue = Static<typeof GroupValue>;

/** Records that have the same values, measured. */
export const MeasuredGroup = Type.Object({
  /** The values, in the order of the fields that were asked for. */
  key: Type.Array(GroupValue),
  count: Type.Integer(),
  /** Records that are shown in each class, in the order of CODE_CLASSES; see `toShownClass`. */
  classCounts: Type.Array(Type.Integer()),
  /** Records of each outcome, in the order of OUTCOMES. */
  outcomeCounts: Type.Array(Type.Integer()),
  /** Those that failed. */
  failures: Type.Integer(),
  /** Whom those hit. */
  failedSessions: Type.Integer(),
  failedClients: Type.Integer(),
  /** How many of them tell as much as one about their share, because those of a session belong together; 1 or more. */
  perFailure: Type.Number(),
  response: Latency,
  /** Of the outbound report, which has none, always empty. */
  botLatency: Latency,
  /** Of the records with a date; null where none has one. */
  firstMs: Nullable(Type.Integer()),
  lastMs: Nullable(Type.Integer()),
});
export type MeasuredGroup = Static<typeof MeasuredGroup>;

/** Records by their values, measured. */
export const MeasuredGroups = Type.Object({
  /** The largest first, at most 5,000; none where nothing was grouped by. */
  groups: Type.Array(MeasuredGroup),
  /** All records together, those of groups that are not listed included; its key is empty. */
  total: MeasuredGroup,
  /** All groups, and records in those that are not listed. */
  groupCount: Type.Integer(),
  unlistedCount: Type.Integer(),
});
export type MeasuredGroups = Static<typeof MeasuredGroups>;

const measures = {
  count: Type.Integer(),
  /** Those that failed, by the rules of the connection. */
  failures: Type.Integer(),
  /** Of the response times; continuous, as in a Latency. Null where no record has one. */
  medianMs: Figure,
};

/** Edges of a series. */
export const MAX_EDGES = 5001;

/** Records of [fromMs, toMs). */
export const SeriesBucket = Type.Object({
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
  ...measures,
  p95Ms: Figure,
});
export type SeriesBucket = Static<typeof SeriesBucket>;

/** The hours of a week, 168: those of Monday first, as a zone's clock shows them. Records without a date are in none. */
export const HeatMap = Type.Object({ cells: Type.Array(Type.Object(measures)) });
export type HeatMap = Static<typeof HeatMap>;

/** Times that can be distributed. */
export const TimedField = Type.Enum([...TIMED_FIELDS]);
export type TimedField = Static<typeof TimedField>;

/** How many records took how long, in buckets that grow with the time. */
export const Distribution = Type.Object({
  /** From the first with a record to the last; [fromMs, toMs), the first of all from 0 and the last without an end. */
  buckets: Type.Array(Type.Object({ fromMs: Type.Number(), toMs: Figure, count: Type.Integer() })),
  times: Latency,
  /** Records without the figure; they are in no bucket. */
  missingCount: Type.Integer(),
});
export type Distribution = Static<typeof Distribution>;

/** The most connections that one question is about. */
export const MAX_ASKED_CONNECTIONS = 200;

/** How much of a period is known of a connection. */
const Known = {
  connectionId: Type.String(),
  /** What of the period up to now is not cached, in milliseconds. */
  missingMs: Type.Integer({ minimum: 0 }),
};

/** What the cached records of one connection in a period say. */
export const ConnectionFigures = Type.Object({
  ...Known,
  /** Null where nothing of the period is cached: that is not the same as no requests. */
  figures: Nullable(
    Type.Object({
      count: Type.Integer(),
      /** By the rules of that connection. */
      failures: Type.Integer(),
      /** Records of which its rules don't say whether they failed. */
      unknown: Type.Integer(),
      /** Different sessions and clients that the failures name. */
      failedSessions: Type.Integer(),
      failedClients: Type.Integer(),
      /** Of the response times; null where no record has one. */
      medianMs: Nullable(Type.Number()),
      p95Ms: Nullable(Type.Number()),
      /** Records with the error that was asked for; null where none was. */
      sameErrors: Nullable(Type.Integer()),
    }),
  ),
});
export type ConnectionFigures = Static<typeof ConnectionFigures>;

/** A family of errors in one connection. */
const FamilyPart = Type.Object({
  connectionId: Type.String(),
  count: Type.Integer(),
  /** Different sessions and clients that its records name. */
  sessionCount: Type.Integer(),
  clientCount: Type.Integer(),
  /** Null where no record has a date. */
  firstMs: Nullable(Type.Integer()),
  lastMs: Nullable(Type.Integer()),
});

/** Errors that fold to the same text, in each of several connections. */
export const SharedFamily = Type.Object({
  pattern: Type.String(),
  /** The most frequent code where most of its records are; null for none. */
  responseCode: Nullable(Type.Integer()),
  /** Records of all connections: counts add up. */
  count: Type.Integer(),
  /** The connections that have it, the one with the most records first. */
  parts: Type.Array(FamilyPart, { minItems: 1 }),
});
export type SharedFamily = Static<typeof SharedFamily>;

/** The errors of several connections by family, the most frequent first. */
export const SharedFamilies = Type.Object({
  /** At most 200. */
  families: Type.Array(SharedFamily),
  familyCount: Type.Integer(),
  /** In the order of the question. */
  connections: Type.Array(
    Type.Object({
      ...Known,
      /** Null where nothing of the period is cached. */
      counts: Nullable(Type.Object({ recordCount: Type.Integer(), errorCount: Type.Integer() })),
    }),
  ),
});
export type SharedFamilies = Static<typeof SharedFamilies>;
