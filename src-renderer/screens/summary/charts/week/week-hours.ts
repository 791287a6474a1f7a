import { HOUR_MS } from '../../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../../src-main/common/time/time-span.ts';
import { listZoneOffsets, type ZoneOffset } from '../../../../../src-main/common/time/time-zones.ts';
import type { Gap } from '../times/times-basis.ts';

const WEEK_HOURS = 168;
/** The first of January 1970 was a Thursday. */
const MONDAY_HOURS = 72;

/** An hour of the week, Monday's midnight first, as a zone's clock shows it. */
export interface WeekHour {
  /** When the period has it, in the order of time. An hour that the clock shows twice in a row is one span. */
  readonly spans: readonly TimeSpan[];
  readonly heldMs: number;
  /** How much of that is not cached; null while it is not known. */
  readonly missingMs: number | null;
  /** How much of what is missing holds some of its records. */
  readonly partialMs: number;
}

/** Calls with each hour of the week that a span has, or the part of it. */
function walkHours(
  { fromMs, toMs }: TimeSpan,
  offsets: readonly ZoneOffset[],
  visit: (place: number, span: TimeSpan) => void,
): void {
  offsets.forEach(({ fromMs: sinceMs, offsetMs }, index) => {
    const untilMs = Math.min(toMs, offsets[index + 1]?.fromMs ?? Infinity);
    // What comes before the first offset has that one too.
    let atMs = index === 0 ? fromMs : Math.max(fromMs, sinceMs);
    while (atMs < untilMs) {
      const hour = Math.floor((atMs + offsetMs) / HOUR_MS);
      const endMs = Math.min(untilMs, (hour + 1) * HOUR_MS - offsetMs);
      const place = (((hour + MONDAY_HOURS) % WEEK_HOURS) + WEEK_HOURS) % WEEK_HOURS;
      visit(place, { fromMs: atMs, toMs: endMs });
      atMs = endMs;
    }
  });
}

/** Returns the hours of the week: when a period has each of them, and how much of it is not cached. */
export function listWeekHours(
  period: TimeSpan,
  gaps: readonly Gap[] | null,
  zone: string,
): readonly WeekHour[] {
  const offsets = listZoneOffsets(period.fromMs, period.toMs, zone);
  const hours = Array.from({ length: WEEK_HOURS }, () => ({
    spans: [] as TimeSpan[],
    heldMs: 0,
    missingMs: 0,
    partialMs: 0,
  }));
  walkHours(period, offsets, (place, span) => {
    const hour = hours[place];
    if (hour === undefined) return;
    const last = hour.spans.at(-1);
    if (last?.toMs === span.fromMs) hour.spans[hour.spans.length - 1] = { ...last, toMs: span.toMs };
    else hour.spans.push(span);
    hour.heldMs += span.toMs - span.fromMs;
  });
  for (const gap of gaps ?? []) {
    const inside = { fromMs: Math.max(gap.fromMs, period.fromMs), toMs: Math.min(gap.toMs, period.toMs) };
    walkHours(inside, offsets, (place, { fromMs, toMs }) => {
      const hour = hours[place];
      if (hour === undefined) return;
      hour.missingMs += toMs - fromMs;
      if (gap.state === 'partial') hour.partialMs += toMs - fromMs;
    });
  }
  return gaps === null ? hours.map((hour) => ({ ...hour, missingMs: null })) : hours;
}
