import type { HeatMap } from '../../../../../src-main/common/model/analysis/measured-times.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../../src-main/common/time/durations.ts';
import type { WeekHour } from './week-hours.ts';

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
export type HeatState = 'outside' | 'missing' | 'unsure' | 'shown';

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
