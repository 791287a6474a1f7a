import type { StatusFigures } from '../../../../src-main/common/model/connections/status.ts';
import { DAY_MS, MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import { formatDuration, formatPercent } from '../../../format/formats.ts';

/** The spans that are measured, in the order in which they are shown. */
export const MEASURED_SPANS = [
  { name: 'day', spanMs: DAY_MS },
  { name: 'week', spanMs: 7 * DAY_MS },
  { name: 'month', spanMs: 30 * DAY_MS },
] as const;

/** What was watched for less than this share of a span says nothing of the span. */
const LEAST_WATCHED = 0.5;

export interface MeasuredSpan {
  readonly name: (typeof MEASURED_SPANS)[number]['name'];
  /** Null as long as too little was seen. */
  readonly text: string | null;
  readonly seenMs: number;
}

/** Uptime of a part by span. */
export function toUptimeSpans(
  figures: readonly StatusFigures[],
  part: 'connector' | 'platform',
): MeasuredSpan[] {
  return MEASURED_SPANS.map(({ name, spanMs }) => {
    const uptime = figures.find((each) => each.spanMs === spanMs)?.[part] ?? null;
    const isLearned = uptime !== null && uptime.seenMs >= spanMs * LEAST_WATCHED;
    return { name, text: isLearned ? formatPercent(uptime.share) : null, seenMs: uptime?.seenMs ?? 0 };
  });
}

/** Medians of the internal response time by span. */
export function toResponseSpans(figures: readonly StatusFigures[]): MeasuredSpan[] {
  return MEASURED_SPANS.map(({ name, spanMs }) => {
    const { medianResponseTimeMs = null, responseSeenMs = 0 } =
      figures.find((each) => each.spanMs === spanMs) ?? {};
    const isLearned = medianResponseTimeMs !== null && responseSeenMs >= spanMs * LEAST_WATCHED;
    return { name, text: isLearned ? formatDuration(medianResponseTimeMs) : null, seenMs: responseSeenMs };
  });
}

/** How long something was seen for: from a minute on, its seconds say nothing. */
export function toWholeMinutes(seenMs: number): number {
  return seenMs < MINUTE_MS ? seenMs : Math.floor(seenMs / MINUTE_MS) * MINUTE_MS;
}
