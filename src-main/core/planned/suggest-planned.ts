import type { ConnectionPlans, PlannedSuggestion } from '../../common/model/connections/planned-time.ts';
import { listPlannedSpans } from '../../common/model/connections/planned-spans.ts';
import { WEEKDAYS } from '../../common/model/schedules/schedule.ts';
import { civilToUtcMs } from '../../common/time/civil-time.ts';
import { HOUR_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { toCivilTime } from '../../common/time/time-zones.ts';

export const SLOT_MS = HOUR_MS / 2;
const DAY_SLOTS = 48;
const WEEK_SLOTS = 7 * DAY_SLOTS;
/** So often in a row it must have been quiet. */
const MIN_TIMES = 4;
/** Fewer requests in half an hour say nothing. */
const MIN_USUAL = 10;
const QUIET_SHARE = 0.2;
/** Before and after, there is at least so much of what is usual. */
const BUSY_SHARE = 0.5;
const MAX_QUIET_SLOTS = 24;
const MAX_SUGGESTIONS = 5;

/** A half hour, and the requests of both directions in it; null where they aren't cached in full. */
export interface Slot extends TimeSpan {
  readonly count: number | null;
}

interface WeekSlot {
  /** Oldest first. */
  readonly seen: readonly { readonly fromMs: number; readonly toMs: number; readonly count: number }[];
  readonly median: number | null;
}

interface Question {
  /** Oldest first, of some weeks. */
  readonly slots: readonly Slot[];
  readonly channel?: number;
  readonly zone: string;
  readonly plans: ConnectionPlans | undefined;
}

/**
 * Finds times that were quiet in each of the last weeks at the same hour of the same weekday, though other days are busy
 * then and so are the hours around: what a person may have planned.
 */
export function suggestPlanned({ slots, channel, zone, plans }: Question): PlannedSuggestion[] {
  const week = toWeek(slots, zone);
  /** What other weekdays have at that time of day. */
  const usual = week.map((_, place) => {
    const others = WEEKDAYS.map((_day, day) => (place + day * DAY_SLOTS) % WEEK_SLOTS)
      .slice(1)
      .flatMap((other) => week[other]?.median ?? []);
    return others.length < MIN_TIMES ? null : toMedian(others);
  });
  const isQuiet = (place: number): boolean => {
    const { seen = [] } = week[place] ?? {};
    const most = usual[place] ?? 0;
    return (
      seen.length >= MIN_TIMES && most >= MIN_USUAL && seen.every(({ count }) => count <= most * QUIET_SHARE)
    );
  };
  const isBusy = (at: number): boolean => {
    const place = (at + WEEK_SLOTS) % WEEK_SLOTS;
    const most = usual[place] ?? 0;
    return most >= MIN_USUAL && (week[place]?.median ?? 0) >= most * BUSY_SHARE;
  };
  const dismissed = new Set(plans?.dismissed ?? []);
  const found: PlannedSuggestion[] = [];
  for (let begin = 0; begin < WEEK_SLOTS; begin += 1) {
    if (!isQuiet(begin) || !isBusy(begin - 1)) continue;
    let length = 1;
    while (length <= MAX_QUIET_SLOTS && isQuiet((begin + length) % WEEK_SLOTS)) length += 1;
    if (length > MAX_QUIET_SLOTS || !isBusy(begin + length)) continue;
    const places = Array.from({ length }, (_, more) => (begin + more) % WEEK_SLOTS);
    const suggestion = describe(places, { week, usual, zone, channel });
    if (!dismissed.has(suggestion.key) && !isPlanned(suggestion, plans)) found.push(suggestion);
  }
  return found.sort((a, b) => b.usual - b.requests - (a.usual - a.requests)).slice(0, MAX_SUGGESTIONS);
}

function describe(
  places: readonly number[],
  parts: {
    readonly week: readonly WeekSlot[];
    readonly usual: readonly (number | null)[];
    readonly zone: string;
    readonly channel: number | undefined;
  },
): PlannedSuggestion {
  const { week, usual, zone, channel } = parts;
  const [begin = 0] = places;
  const weekday = WEEKDAYS[Math.floor(begin / DAY_SLOTS)] ?? 'monday';
  const minute = (begin % DAY_SLOTS) * 30;
  const from = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${minute % 60 === 0 ? '00' : '30'}`;
  const seen = places.map((place) => week[place]?.seen ?? []);
  const times = seen[0]?.length ?? 0;
  const minutes = places.length * 30;
  return {
    key: `${weekday} ${from} ${minutes}${channel === undefined ? '' : ` channel ${channel}`}`,
    weekday,
    from,
    minutes,
    zone,
    spans: (seen[0] ?? []).map(({ fromMs }) => ({ fromMs, toMs: fromMs + places.length * SLOT_MS })),
    requests: seen.flat().reduce((sum, { count }) => sum + count, 0),
    usual: Math.round(times * places.reduce((sum, place) => sum + (usual[place] ?? 0), 0)),
    ...(channel === undefined ? {} : { channel }),
  };
}

/** True where a person already planned the last time that it was seen. */
function isPlanned({ spans, channel }: PlannedSuggestion, plans: ConnectionPlans | undefined): boolean {
  const last = spans.at(-1);
  if (last === undefined) return false;
  return listPlannedSpans(plans, last).some(
    ({ time }) =>
      time.channels === undefined || (channel !== undefined && time.channels.some((own) => own === channel)),
  );
}

/** What is known of each half hour of a week, by the clock of a zone; it begins on Monday. */
function toWeek(slots: readonly Slot[], zone: string): WeekSlot[] {
  const seen: { fromMs: number; toMs: number; count: number }[][] = Array.from(
    { length: WEEK_SLOTS },
    () => [],
  );
  for (const { fromMs, toMs, count } of slots) {
    if (count === null) continue;
    const civil = toCivilTime(fromMs, zone);
    const day = (new Date(civilToUtcMs(civil)).getUTCDay() + 6) % 7;
    seen[day * DAY_SLOTS + civil.hour * 2 + (civil.minute >= 30 ? 1 : 0)]?.push({ fromMs, toMs, count });
  }
  return seen.map((own) => ({
    seen: own,
    median: own.length === 0 ? null : toMedian(own.map(({ count }) => count)),
  }));
}

function toMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
