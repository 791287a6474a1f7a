import { Type, type Static } from 'typebox';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { GROUP_FIELDS, GroupValue, type TimedField } from '../analysis/grouping.ts';
import { Nullable } from '../nullable.ts';
import { type FieldsWith, toFieldRow } from '../records/record-fields.ts';
import { RecordFilter } from '../records/record-filter.ts';

/** What a rule can measure of the records that a filter leaves. */
export const ALERT_MEASURES = [
  'error-share',
  'median',
  'p90',
  'p95',
  'p99',
  'bot-median',
  'bot-p95',
  'volume',
  'failed-sessions',
  'failed-clients',
] as const;
export type AlertMeasure = (typeof ALERT_MEASURES)[number];

/** Measures of whom failures hit: each is counted once in the minutes of a rule, however often it fails. */
const HIT_MEASURES = ['failed-sessions', 'failed-clients'] as const satisfies readonly AlertMeasure[];
export type HitMeasure = (typeof HIT_MEASURES)[number];

export function isHitMeasure(measure: AlertMeasure): measure is HitMeasure {
  return HIT_MEASURES.some((one) => one === measure);
}

/** Whether a measure is a number of something, which needs no requests to be judged. */
export function isCounted(measure: AlertMeasure): boolean {
  return measure === 'volume' || isHitMeasure(measure);
}

/** Measures of times: of which, and the share of requests that may take longer than each of them. */
const TIME_MEASURES = {
  median: { field: 'responseTimeMs', slower: 0.5 },
  p90: { field: 'responseTimeMs', slower: 0.1 },
  p95: { field: 'responseTimeMs', slower: 0.05 },
  p99: { field: 'responseTimeMs', slower: 0.01 },
  'bot-median': { field: 'botLatencyMs', slower: 0.5 },
  'bot-p95': { field: 'botLatencyMs', slower: 0.05 },
} as const satisfies Readonly<Partial<Record<AlertMeasure, TimeMeasure>>>;
interface TimeMeasure {
  readonly field: TimedField;
  readonly slower: number;
}

/** Returns of which times a measure is, and what share may take longer; undefined for one of something else. */
export function toTimeMeasure(measure: AlertMeasure): TimeMeasure | undefined {
  const rows: Readonly<Partial<Record<AlertMeasure, TimeMeasure>>> = TIME_MEASURES;
  return rows[measure];
}

/** Whether only inbound requests have what a measure is of. */
export function isInboundOnly(measure: AlertMeasure): boolean {
  return toTimeMeasure(measure)?.field === 'botLatencyMs';
}

/** Longest name of a rule, in characters. */
export const MAX_ALERT_NAME = 80;
/** Most minutes that a rule can look at together. */
export const MAX_ALERT_MINUTES = 1440;
/** Most requests that a rule can ask for before it judges. */
export const MAX_ALERT_REQUESTS = 1_000_000;
/** Most rules, of all connections together. */
export const MAX_ALERT_RULES = 200;

/** Fields of which a rule can watch every value by itself. */
export const EACH_FIELDS = GROUP_FIELDS.filter(
  (field) => toFieldRow(field).watched === true,
) as readonly FieldsWith<'watched'>[];
export type EachField = (typeof EACH_FIELDS)[number];
/** Most values that a rule watches; others are only mentioned. */
export const MAX_EACH_VALUES = 50;

/** How bad it is, of a rule with two thresholds. */
export const ALERT_LEVELS = ['warning', 'critical'] as const;
export type AlertLevel = (typeof ALERT_LEVELS)[number];

const Minutes = Type.Integer({ minimum: 1, maximum: MAX_ALERT_MINUTES });
const Records = {
  direction: Type.Enum([...DIRECTIONS]),
  filter: RecordFilter,
  minutes: Minutes,
  /** Every value of this field is watched by itself. */
  each: Type.Optional(Type.Enum([...EACH_FIELDS])),
};

/** The service reports one of its parts as down for so many minutes. */
const DownCondition = Type.Object({
  kind: Type.Literal('down'),
  part: Type.Union([Type.Literal('platform'), Type.Literal('connector')]),
  minutes: Minutes,
});

/** A measure of the last so many minutes is beyond a threshold. */
export const MeasureCondition = Type.Object({
  kind: Type.Literal('measure'),
  measure: Type.Enum([...ALERT_MEASURES]),
  ...Records,
  comparison: Type.Union([Type.Literal('above'), Type.Literal('below')]),
  /** error-share: 0 to 1; times: milliseconds; else requests, sessions or clients in the minutes. */
  threshold: Type.Number({ minimum: 0, maximum: 1e9 }),
  /** Beyond this it is critical, and only a warning before; beyond the threshold itself. */
  critical: Type.Optional(Type.Number({ minimum: 0, maximum: 1e9 })),
  /** Fewer requests in the minutes say nothing; a measure that is counted needs none. */
  minRequests: Type.Integer({ minimum: 1, maximum: MAX_ALERT_REQUESTS }),
});

/** An error that no cached record had before. It ends when no other one came for so many minutes. */
const FamilyCondition = Type.Object({ kind: Type.Literal('new-family'), ...Records });

/** No request in so many minutes. */
const SilenceCondition = Type.Object({ kind: Type.Literal('silence'), ...Records });

/** A finding began that was not there before. It ends with the finding. */
export const FindingCondition = Type.Object({
  kind: Type.Literal('finding'),
  /** Those there, and those of any; null for all. */
  channel: Nullable(Type.Integer()),
  service: Nullable(Type.Integer()),
  /** Only kinds of findings in which something fails. */
  isFailuresOnly: Type.Boolean(),
});

export const AlertCondition = Type.Union([
  DownCondition,
  MeasureCondition,
  FamilyCondition,
  SilenceCondition,
  FindingCondition,
]);
export type AlertCondition = Static<typeof AlertCondition>;
export type FindingCondition = Static<typeof FindingCondition>;
/** What is judged minute by minute. */
export type MinuteCondition = Exclude<AlertCondition, { kind: 'finding' }>;
/** What is judged by the records that a filter leaves. */
export type RecordCondition = Exclude<MinuteCondition, { kind: 'down' }>;
export type MeasureCondition = Static<typeof MeasureCondition>;

/** No notification until then; null until a person ends it. */
export const AlertMute = Type.Object({ untilMs: Nullable(Type.Integer()) });
export type AlertMute = Static<typeof AlertMute>;

/** What a person says of a rule. */
export const AlertDraft = Type.Object({
  connectionId: Type.String({ minLength: 1, maxLength: 100 }),
  name: Type.String({ minLength: 1, maxLength: MAX_ALERT_NAME }),
  isActive: Type.Boolean(),
  condition: AlertCondition,
});
export type AlertDraft = Static<typeof AlertDraft>;

export const AlertRule = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100 }),
  ...AlertDraft.properties,
  mute: Nullable(AlertMute),
  /** Values of which nobody is notified, of a rule that watches each by itself. */
  valueMutes: Type.Optional(Type.Array(Type.Object({ value: GroupValue, mute: AlertMute }))),
  madeAtMs: Type.Integer(),
  savedAtMs: Type.Integer(),
});
export type AlertRule = Static<typeof AlertRule>;

/** Whether a mute holds at a moment. */
export function isMutedAt(mute: AlertMute | null, nowMs: number): boolean {
  return mute !== null && (mute.untilMs === null || mute.untilMs > nowMs);
}

/** Whether a condition is judged by the records that a filter leaves. */
export function isOnRecords(condition: AlertCondition): condition is RecordCondition {
  return condition.kind !== 'down' && condition.kind !== 'finding';
}

/** Returns the field whose values a condition watches one by one; undefined where it watches all records together. */
export function toEach(condition: AlertCondition): EachField | undefined {
  return isOnRecords(condition) ? condition.each : undefined;
}

/** Returns the condition of one value of a rule that watches each by itself. */
export function withValue(condition: MinuteCondition, value: GroupValue | undefined): MinuteCondition {
  if (!isOnRecords(condition) || condition.each === undefined || value === undefined) return condition;
  const { each, ...own } = condition;
  return { ...own, filter: { conditions: [...own.filter.conditions, { field: each, values: [value] }] } };
}

/** Returns the critical threshold of a condition; undefined where it has only one threshold. */
export function toCritical(condition: AlertCondition): number | undefined {
  return condition.kind === 'measure' ? condition.critical : undefined;
}

/** Returns a condition as one of its levels judges it: with only that threshold. */
export function atLevel(condition: MinuteCondition, level: AlertLevel | null): MinuteCondition {
  if (condition.kind !== 'measure') return condition;
  const { critical, ...own } = condition;
  return level === 'critical' && critical !== undefined ? { ...own, threshold: critical } : own;
}

const SHARES = [0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8];
const TIMES_MS = [100, 200, 500, 1000, 2000, 3000, 5000, 10_000, 20_000, 30_000, 60_000];
const VOLUMES = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
];

/** Thresholds shown on either side of the chosen one. */
const NEIGHBOURS = 2;

/** Returns the thresholds that a measure is offered with, and the chosen one among them, rising. */
export function listThresholds(measure: AlertMeasure, chosen: number): number[] {
  return [...new Set([...listSteps(measure), chosen])].sort((a, b) => a - b);
}

function listSteps(measure: AlertMeasure): readonly number[] {
  if (measure === 'error-share') return SHARES;
  return isCounted(measure) ? VOLUMES : TIMES_MS;
}

/** Returns the chosen threshold and those next to it, five where there are as many. */
export function listNearThresholds(measure: AlertMeasure, chosen: number): number[] {
  const all = listThresholds(measure, chosen);
  const first = Math.max(0, Math.min(all.indexOf(chosen) - NEIGHBOURS, all.length - 1 - 2 * NEIGHBOURS));
  return all.slice(first, first + 2 * NEIGHBOURS + 1);
}
