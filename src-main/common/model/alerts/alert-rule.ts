import { Type, type Static } from 'typebox';
import { DIRECTIONS } from '../../reporting/reports.ts';
import type { TimedField } from '../analysis/measured-times.ts';
import { Nullable } from '../nullable.ts';
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
export interface TimeMeasure {
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

const Minutes = Type.Integer({ minimum: 1, maximum: MAX_ALERT_MINUTES });
const Records = { direction: Type.Enum([...DIRECTIONS]), filter: RecordFilter, minutes: Minutes };

/** The service reports one of its parts as down for so many minutes. */
const DownCondition = Type.Object({
  kind: Type.Literal('down'),
  part: Type.Union([Type.Literal('platform'), Type.Literal('connector')]),
  minutes: Minutes,
});

/** A measure of the last so many minutes is beyond a threshold. */
const MeasureCondition = Type.Object({
  kind: Type.Literal('measure'),
  measure: Type.Enum([...ALERT_MEASURES]),
  ...Records,
  comparison: Type.Union([Type.Literal('above'), Type.Literal('below')]),
  /** error-share: 0 to 1; times: milliseconds; else requests, sessions or clients in the minutes. */
  threshold: Type.Number({ minimum: 0, maximum: 1e9 }),
  /** Fewer requests in the minutes say nothing; a measure that is counted needs none. */
  minRequests: Type.Integer({ minimum: 1, maximum: MAX_ALERT_REQUESTS }),
});

/** An error that no cached record had before. It ends when no other one came for so many minutes. */
const FamilyCondition = Type.Object({ kind: Type.Literal('new-family'), ...Records });

/** No request in so many minutes. */
const SilenceCondition = Type.Object({ kind: Type.Literal('silence'), ...Records });

export const AlertCondition = Type.Union([
  DownCondition,
  MeasureCondition,
  FamilyCondition,
  SilenceCondition,
]);
export type AlertCondition = Static<typeof AlertCondition>;
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
  madeAtMs: Type.Integer(),
  savedAtMs: Type.Integer(),
});
export type AlertRule = Static<typeof AlertRule>;

/** Whether a mute holds at a moment. */
export function isMutedAt(mute: AlertMute | null, nowMs: number): boolean {
  return mute !== null && (mute.untilMs === null || mute.untilMs > nowMs);
}
