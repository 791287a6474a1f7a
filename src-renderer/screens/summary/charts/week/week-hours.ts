import { HOUR_MS, MINUTE_MS } from '../../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../../src-main/common/time/time-span.ts';
import { listZoneOffsets, type ZoneOffset } from '../../../../../src-main/common/time/civil-time.ts';
import type { Gap } from '../times/measured-series.ts';
import { useI18n } from 'vue-i18n';
import { formatCount, formatDuration, formatPercent, formatSpan } from '../../../../format/formats.ts';
import type { HeatMap } from '../../../../../src-main/common/model/analysis/grouping.ts';

const WEEK_HOURS = 168;
/** The first of January 1970 was a Thursday. */
const MONDAY_HOURS = 72;

/** An hour of the week, Monday's midnight first, as a zone's clock shows it. */
interface WeekHour {
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

export const HOURS = 24;
/** In the order of a heat map. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Words for the hours of a week. */
export function useWeekWords() {
  const { t } = useI18n();

  /** Returns an hour by name, as in `Monday 14:00 – 15:00`. */
  function nameHour(place: number): string {
    const hour = place % HOURS;
    const pad = (value: number): string => `${String(value).padStart(2, '0')}:00`;
    const day = t(`summary.week.long.${DAYS[Math.floor(place / HOURS)] ?? 'mon'}`);
    return t('summary.week.name', { day, from: pad(hour), to: pad((hour + 1) % HOURS) });
  }

  /** Returns everything that is known of an hour, and what of it is not. */
  function listFigures({ count, failures, medianMs, hour, state }: HeatCell): readonly string[] {
    const { spans, heldMs, missingMs, partialMs } = hour;
    if (state === 'outside') return [t('summary.week.outside')];
    const often = spans.length > 1 ? [toTimes(spans.length)] : [];
    if (state === 'missing') return [t('summary.times.notCached'), ...often];
    const hourly = toHourly(count, hour);
    const words = [t('summary.requests', { count: formatCount(count) }, count)];
    if (hourly !== null && (spans.length > 1 || (missingMs ?? 0) > 0)) words.push(toRate(hourly));
    const failed = formatCount(failures);
    if (count >= MIN_REQUESTS) {
      const share = formatPercent(failures / count, 2);
      words.push(t('summary.times.failed', { count: failed, share }, failures));
      if (medianMs !== null) words.push(t('summary.times.median', { time: formatDuration(medianMs) }));
    } else if (count > 0) {
      words.push(t('summary.week.failedOfFew', { count: failed }, failures), t('summary.week.tooFew'));
    }
    if (missingMs === null) words.push(t('summary.week.unknown'));
    else if (partialMs > 0) words.push(t('summary.week.partial'));
    else if (missingMs > 0) {
      const [cached, held] = [formatSpan(heldMs - missingMs), formatSpan(heldMs)];
      words.push(t('summary.week.partly', { cached, held }));
    }
    return [...words, ...often];
  }

  function toRate(hourly: number): string {
    const digits = hourly < 10 ? 1 : 0;
    return t('summary.week.rate', { count: formatCount(hourly, digits) }, hourly === 1 ? 1 : 2);
  }

  function toTimes(count: number): string {
    return t('summary.week.times', { count: formatCount(count) }, count);
  }

  return { nameHour, listFigures, toRate };
}

/** Steps of colour. */
const HEAT_LEVELS = 5;
/** Fewer requests say nothing about the share of them that fail, or about how long they usually take. */
export const MIN_REQUESTS = 20;
/** Of less time no number for an hour is made. */
const MIN_CACHED_MS = 15 * MINUTE_MS;
/** A share of nearly nothing does not take the strongest colour. */
const LEAST_SHARE = 0.02;

export const HEAT_MEASURES = ['volume', 'errorShare', 'median'] as const;
export type HeatMeasure = (typeof HEAT_MEASURES)[number];

/** What can be said of an hour: `unsure` of what is cached too little, or too few requests. */
type HeatState = 'outside' | 'missing' | 'unsure' | 'shown';

export interface HeatCell {
  readonly count: number;
  readonly failures: number;
  readonly medianMs: number | null;
  readonly hour: WeekHour;
  readonly state: HeatState;
  /** Requests an hour, a share of 0 to 1, or milliseconds; null where it is not shown. */
  readonly value: number | null;
}

/** An hour as it is drawn and told. */
export interface HeatMark {
  /** A step of colour from 0 on, hatched, or nothing at all. */
  readonly mark: number | 'hatched' | null;
  readonly name: string;
  readonly figures: readonly string[];
  readonly canOpen: boolean;
}

/** Values from one edge on up to the next have one colour. */
export interface HeatScale {
  readonly edges: readonly number[];
}

/** Returns each hour of the week with what a measure says of it. */
export function toHeatCells(
  cells: HeatMap['cells'],
  hours: readonly WeekHour[],
  measure: HeatMeasure,
): readonly HeatCell[] {
  return hours.map((hour, place) => {
    const { count = 0, failures = 0, medianMs = null } = cells[place] ?? {};
    const value = toValue({ count, failures, medianMs, hour }, measure);
    return { count, failures, medianMs, hour, value, state: toState(count, hour, value) };
  });
}

function toValue(
  { count, failures, medianMs, hour }: Pick<HeatCell, 'count' | 'failures' | 'medianMs' | 'hour'>,
  measure: HeatMeasure,
): number | null {
  if (measure === 'volume') return toHourly(count, hour);
  if (count < MIN_REQUESTS) return null;
  return measure === 'errorShare' ? failures / count : medianMs;
}

/** Requests in an hour that is cached; null where too little is, or where that is not known. */
export function toHourly(count: number, { heldMs, missingMs, partialMs }: WeekHour): number | null {
  // Of what holds only some of its records the time is not known.
  if (missingMs === null || partialMs > 0) return null;
  const cachedMs = heldMs - missingMs;
  return cachedMs < MIN_CACHED_MS ? null : count / (cachedMs / HOUR_MS);
}

function toState(count: number, { heldMs, missingMs }: WeekHour, value: number | null): HeatState {
  if (heldMs === 0) return 'outside';
  if (value !== null) return 'shown';
  return count === 0 && missingMs !== null && missingMs >= heldMs ? 'missing' : 'unsure';
}

/** Returns equal steps with round edges for what a measure shows; counts and shares begin at nothing. */
export function toHeatScale(cells: readonly HeatCell[], measure: HeatMeasure): HeatScale {
  const values = cells.flatMap(({ value }) => (value === null ? [] : [value]));
  const isTime = measure === 'median';
  const least = measure === 'errorShare' ? LEAST_SHARE : HEAT_LEVELS;
  const low = isTime ? values.reduce((min, value) => Math.min(min, value), Infinity) : 0;
  const from = Number.isFinite(low) ? low : 0;
  const to = Math.max(from + (isTime ? HEAT_LEVELS : least), ...values);
  let step = toNiceStep((to - from) / HEAT_LEVELS);
  let first = Math.floor(from / step) * step;
  // Beginning lower than the lowest value, the steps may end too early.
  while (first + step * HEAT_LEVELS < to) {
    step = toNiceStep(step * 1.01);
    first = Math.floor(from / step) * step;
  }
  const round = (edge: number): number => Number(edge.toPrecision(12));
  return { edges: Array.from({ length: HEAT_LEVELS + 1 }, (_, place) => round(first + step * place)) };
}

/** Returns the step of colour of a value, from 0 on. */
export function toHeatLevel(value: number, { edges }: HeatScale): number {
  const next = edges.findIndex((edge) => edge > value);
  return next === -1 ? HEAT_LEVELS - 1 : Math.max(0, next - 1);
}

/** The next number that is easy to read off a scale. */
function toNiceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor =
    [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((one) => one * power >= least * 0.999_999) ?? 10;
  return factor * power;
}
