import type { Expectation } from './expect-traffic.ts';
import { createHolder, type Judged } from './evidence.ts';
import { ALARM } from './scan-minutes.ts';
import { HOUR_MINUTES, type TrafficCounts } from './traffic-grid.ts';

/** Volume is looked at for this part of the usual one, and for this multiple. */
const DROP = 0.35;
const SURGE = 2.2;
const LEAST_FACTOR = 0.02;
/** Rates of other days spread by so many deviations. */
const SPREADS = 2;
/** Where a week before is known too, the last hours and that week leave so much open. */
const LESS_BY_WEEK = 0.85;
const MORE_BY_WEEK = 1.2;
/** Where only the hours before say what is usual, the time of day alone may change the rate as much. */
const LESS_BY_HOUR = 0.25;
/** A rate of nothing can't be exceeded. */
const LEAST_RATE = 0.2;
/** The level of the last hours, of requests that vary as these say, counts for as much. */
const LEVEL_MEMORY_MINUTES = 90;
const LEVEL_WEIGHT = 20;
const BLOCK_MINUTES = 5;
const FIRST_DISPERSION = 1.2;
const DISPERSION_MEMORY_BLOCKS = 48;
const MAX_DISPERSION_OF_BLOCK = 12;

/**
 * Returns what speaks for fewer, or more, requests than usual. `dispersion` is by how much they vary beyond chance on
 * other days.
 */
export function weighVolume(
  {
    minutesCovered,
    dispersion: usualDispersion,
  }: { readonly minutesCovered: Uint8Array; readonly dispersion: number },
  { requests }: TrafficCounts,
  expected: readonly (Expectation | null)[],
  kind: 'volume-down' | 'volume-up',
): Judged {
  const isDrop = kind === 'volume-down';
  /** What is not unusual yet, and what is most likely; -1 where nothing is known. */
  let [rates, likely] = [new Float64Array(), new Float64Array()];
  const hold = createHolder(expected);
  const level = { seen: 0, usual: 0 };
  const memory = 0.5 ** (1 / LEVEL_MEMORY_MINUTES);
  const factor = isDrop ? DROP : SURGE;
  const logFactor = Math.log(factor);
  let dispersion = Math.max(FIRST_DISPERSION, usualDispersion);
  const block = { minutes: 0, seen: 0, usual: 0 };
  const isCovered = (minute: number): boolean => minutesCovered[minute] === 1;
  /** Learns from a minute that is usual. */
  const learn = (minute: number, usual: number, levelled: number): void => {
    const seen = requests[minute] ?? 0;
    level.seen = level.seen * memory + seen;
    level.usual = level.usual * memory + usual;
    block.minutes += 1;
    block.seen += seen;
    block.usual += levelled;
    if (block.minutes < BLOCK_MINUTES) return;
    const own = block.usual < 1 ? 1 : (block.seen - block.usual) ** 2 / block.usual;
    dispersion += (Math.min(own, MAX_DISPERSION_OF_BLOCK) - dispersion) / DISPERSION_MEMORY_BLOCKS;
    block.minutes = 0;
    block.seen = 0;
    block.usual = 0;
  };
  return {
    evidence: {
      minutes: requests.length,
      mayAlarm: () => {
        const least = Math.max(1, usualDispersion);
        const most = Math.max(least, MAX_DISPERSION_OF_BLOCK);
        let weight = 0;
        for (let hour = 0; hour < expected.length; hour += 1) {
          const rate = isDrop ? toMost(expected, hour) : toLeast(expected, hour);
          if (rate <= 0) continue;
          const end = Math.min(requests.length, (hour + 1) * HOUR_MINUTES);
          for (let minute = hour * HOUR_MINUTES; minute < end; minute += 1) {
            if (!isCovered(minute)) continue;
            const own = (requests[minute] ?? 0) * logFactor - rate * (factor - 1);
            weight = Math.max(0, weight + own / (own > 0 ? least : most));
            if (weight >= ALARM) return true;
          }
        }
        return false;
      },
      isKnown: isCovered,
      advance: (minute, isUnusual) => {
        if (rates.length === 0) {
          rates = new Float64Array(requests.length).fill(-1);
          likely = new Float64Array(requests.length).fill(-1);
        }
        const own = hold(minute, isUnusual);
        if (own === null || !isCovered(minute)) return;
        const usual = own.source === 'hours' ? own.rate : interpolate(expected, minute);
        const ratio = (level.seen + LEVEL_WEIGHT) / (level.usual + LEVEL_WEIGHT);
        rates[minute] = isDrop ? toLowest(own, usual, ratio) : toHighest(own, usual, ratio);
        likely[minute] = usual * ratio;
        if (!isUnusual) learn(minute, usual, usual * ratio);
      },
      weigh: (minute) => {
        const rate = rates[minute] ?? -1;
        if (rate <= 0) return 0;
        return (
          ((requests[minute] ?? 0) * logFactor - rate * (factor - 1)) /
          Math.max(1, dispersion, usualDispersion)
        );
      },
      createSum: () => {
        let seen = 0;
        let usual = 0;
        return (minute) => {
          const rate = likely[minute] ?? -1;
          if (rate >= 0) {
            seen += requests[minute] ?? 0;
            usual += Math.max(rate, isDrop ? 0 : LEAST_RATE);
          }
          const own = seen / Math.max(usual, 0.01);
          const clamped = isDrop ? Math.min(DROP, Math.max(own, LEAST_FACTOR)) : Math.max(SURGE, own);
          return seen * Math.log(clamped) - usual * (clamped - 1);
        };
      },
    },
    measure: (from, to) => {
      const total = { seen: 0, usual: 0 };
      for (let minute = from; minute < to; minute += 1) {
        if ((rates[minute] ?? -1) < 0) continue;
        total.seen += requests[minute] ?? 0;
        total.usual += rates[minute] ?? 0;
      }
      return { total: total.seen, hits: total.seen, expected: total.usual };
    },
  };
}

/** What a rate may be without being low: days differ, weekdays differ, and so does the level of the last hours. */
function toLowest(
  { source, spread, weekday, isWeekKnown }: Expectation,
  usual: number,
  level: number,
): number {
  const lowest = Math.min(usual * weekday, usual * level);
  if (isWeekKnown) return LESS_BY_WEEK * lowest;
  const ofDays = Math.max(0, Math.min(usual - SPREADS * spread, lowest));
  return source === 'hours' ? Math.min(usual * LESS_BY_HOUR, ofDays) : ofDays;
}

/**
 * What a rate may be without being high. A day whose last hours were like a week before is taken for such a one. The
 * hours before don't say it: mornings have several times the requests of nights.
 */
function toHighest(
  { source, spread, weekdayPeak: weekday, isWeekKnown }: Expectation,
  usual: number,
  level: number,
): number {
  if (source === 'hours') return 0;
  const isLikeWeekBefore = Math.abs(Math.log(level / Math.max(weekday, 0.01))) < Math.abs(Math.log(level));
  const ofDay = isLikeWeekBefore ? weekday : Math.max(1, weekday);
  const highest = isWeekKnown ? MORE_BY_WEEK * usual : usual + SPREADS * spread;
  return Math.max(highest * ofDay, usual * level, LEAST_RATE);
}

/** What `toLowest` is at most in an hour; 0 where nothing is known. */
function toMost(expected: readonly (Expectation | null)[], hour: number): number {
  const own = expected[hour] ?? null;
  if (own === null) return 0;
  if (own.source === 'hours') return own.rate * LESS_BY_HOUR;
  return Math.max(...listAround(expected, hour)) * (own.isWeekKnown ? LESS_BY_WEEK * own.weekday : 1);
}

/** What `toHighest` is at least in an hour; 0 where nothing is known. */
function toLeast(expected: readonly (Expectation | null)[], hour: number): number {
  const own = expected[hour] ?? null;
  if (own === null || own.source === 'hours') return 0;
  const usual = Math.min(...listAround(expected, hour)) * (own.isWeekKnown ? MORE_BY_WEEK : 1);
  return Math.max(usual * Math.min(1, own.weekdayPeak), LEAST_RATE);
}

/** The rates that those of an hour's minutes lie between. */
function listAround(expected: readonly (Expectation | null)[], hour: number): number[] {
  return [hour - 1, hour, hour + 1].flatMap((of) => expected[of]?.rate ?? []);
}

/** The usual rate, between the middles of hours. */
function interpolate(expected: readonly (Expectation | null)[], minute: number): number {
  const hour = Math.floor(minute / HOUR_MINUTES);
  const place = (minute + 0.5) / HOUR_MINUTES - hour - 0.5;
  const own = expected[hour]?.rate ?? 0;
  const other = expected[hour + Math.sign(place)];
  if (other?.source !== 'days') return own;
  return own + (other.rate - own) * Math.abs(place);
}
