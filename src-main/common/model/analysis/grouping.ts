import { Type, type Static } from 'typebox';
import { REPORTS, type Direction } from '../../reporting/reports.ts';
import { Nullable } from '../nullable.ts';
import {
  isBodyField,
  MAX_PATH_CHARACTERS,
  parseBodyPath,
  writeBodyPath,
  type BodyField,
} from '../records/body-path.ts';

/** What records can be grouped by. A field that the report lacks is null in every group. */
export const GROUP_FIELDS = [
  'channel',
  'service',
  'origin',
  'responseCode',
  'actionId',
  /** What the error folds to; null for records without one. */
  'errorFamily',
  'outcome',
  'client',
] as const;
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
  const fields: Readonly<Record<string, unknown>> = REPORTS[`${direction}-detail`].fields;
  return GROUP_FIELDS.filter((field) => field === 'errorFamily' || field === 'outcome' || field in fields);
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
