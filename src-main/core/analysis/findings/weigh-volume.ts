import type { Expectation } from './expect-traffic.ts';
import { createHolder, ALARM, type Judged } from './scan-minutes.ts';
import { HOUR_MINUTES, type TrafficCounts } from './traffic-grid.ts';

/** The volumes that are tested for: this part of the usual one, and this multiple. */
const DROP = 0.35;
const SURGE = 2.2;

/** Returns how much a number of requests speaks for fewer, or more, than usual, were they independent. */
export function weighCount(kind: 'volume-down' | 'volume-up', seen: number, usual: number): number {
  const factor = kind === 'volume-down' ? DROP : SURGE;
  return seen * Math.log(factor) - usual * (factor - 1);
}
const LEAST_FACTOR = 0.02;
/** Rates within this many standard deviations of the usual one are not unusual. */
const SPREADS = 2;
/** What the last hours and the week before leave open, where both are known. */
const LESS_BY_WEEK = 0.85;
const MORE_BY_WEEK = 1.2;
/** Where only the hours before tell what is usual, the time of day alone may change the rate this much. */
const LESS_BY_HOUR = 0.25;
/** A rate of nothing can't be exceeded. */
const LEAST_RATE = 0.2;

/**
 * Weighs the evidence for fewer, or more, requests than usual. `readDispersion` tells how much more than by chance they vary
 * on other days: it is asked only where something may be found.
 */
export function weighVolume(
  {
    minutesCovered,
    readDispersion,
  }: { readonly minutesCovered: Uint8Array; readonly readDispersion: () => number },
  { requests }: TrafficCounts,
  expected: readonly (Expectation | null)[],
  kind: 'volume-down' | 'volume-up',
): Judged {
  const isDrop = kind === 'volume-down';
  /** What is not unusual yet, and what is most likely; -1 where nothing is known. */
  let [rates, likely] = [new Float64Array(), new Float64Array()];
  const hold = createHolder(expected);
  let known: TrafficLevel | null = null;
  const readLevel = (): TrafficLevel => (known ??= createTrafficLevel(readDispersion()));
  const factor = isDrop ? DROP : SURGE;
  const logFactor = Math.log(factor);
  const isCovered = (minute: number): boolean => minutesCovered[minute] === 1;
  /** How much more likely a minute has `factor` of the rate than the rate, were its requests independent. */
  const compare = (minute: number, rate: number): number =>
    (requests[minute] ?? 0) * logFactor - rate * (factor - 1);
  const mayAlarmWith = (usualDispersion: number): boolean => {
    const least = Math.max(1, usualDispersion);
    const most = Math.max(least, MAX_DISPERSION_OF_BLOCK);
    let weight = 0;
    for (let hour = 0; hour < expected.length; hour += 1) {
      const rate = isDrop ? toMost(expected, hour) : toLeast(expected, hour);
      if (rate <= 0) continue;
      const end = Math.min(requests.length, (hour + 1) * HOUR_MINUTES);
      for (let minute = hour * HOUR_MINUTES; minute < end; minute += 1) {
        if (!isCovered(minute)) continue;
        const own = compare(minute, rate);
        weight = Math.max(0, weight + own / (own > 0 ? least : most));
        if (weight >= ALARM) return true;
      }
    }
    return false;
  };
  return {
    evidence: {
      minutes: requests.length,
      // The less they vary, the more each minute says.
      mayAlarm: () => mayAlarmWith(1) && mayAlarmWith(readDispersion()),
      isKnown: isCovered,
      advance: (minute, isUnusual) => {
        if (rates.length === 0) {
          rates = new Float64Array(requests.length).fill(-1);
          likely = new Float64Array(requests.length).fill(-1);
        }
        const own = hold(minute, isUnusual);
        if (own === null || !isCovered(minute)) return;
        const usual = own.source === 'hours' ? own.rate : interpolate(expected, minute);
        const level = readLevel();
        const ratio = level.readRatio();
        rates[minute] = isDrop ? toLowest(own, usual, ratio) : toHighest(own, usual, ratio);
        likely[minute] = usual * ratio;
        if (!isUnusual) level.learn(requests[minute] ?? 0, usual, usual * ratio);
      },
      weigh: (minute) => {
        const rate = rates[minute] ?? -1;
        if (rate <= 0) return 0;
        return compare(minute, rate) / Math.max(1, readLevel().readDispersion(), readDispersion());
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

/**
 * Returns what tells whether fewer requests would have been certain: `each` is called with the starts, in order, and with
 * what weighs a share of those that came in so many minutes from there. That returns how many are not unusual yet, or
 * null where it would not have been certain.
 */
export function weighFewer(
  {
    minutesCovered,
    dispersion: usualDispersion,
  }: { readonly minutesCovered: Uint8Array; readonly dispersion: number },
  { requests }: TrafficCounts,
  expected: readonly (Expectation | null)[],
): <Found>(
  starts: readonly number[],
  each: (start: number, weigh: (minutes: number, share: number) => number | null) => Found,
) => Found[] {
  const logFactor = Math.log(DROP);
  const walk = (
    level: TrafficLevel,
    minute: number,
    seen: number,
  ): { rate: number; weight: number } | null => {
    const own = expected[Math.floor(minute / HOUR_MINUTES)] ?? null;
    if (own === null || minutesCovered[minute] !== 1) return null;
    const usual = own.source === 'hours' ? own.rate : interpolate(expected, minute);
    const ratio = level.readRatio();
    const rate = toLowest(own, usual, ratio);
    const least = Math.max(1, level.readDispersion(), usualDispersion);
    const weight = rate <= 0 ? 0 : (seen * logFactor - rate * (DROP - 1)) / least;
    level.learn(seen, usual, usual * ratio);
    return { rate: Math.max(0, rate), weight };
  };
  return (starts, each) => {
    const level = createTrafficLevel(usualDispersion);
    let minute = 0;
    return starts.map((start) => {
      for (; minute < start; minute += 1) walk(level, minute, requests[minute] ?? 0);
      return each(start, (minutes, share) => {
        const own = level.copy();
        let [sum, usual, isCertain] = [0, 0, false];
        for (let at = start; at < start + minutes; at += 1) {
          const found = walk(own, at, share * (requests[at] ?? 0));
          if (found === null) continue;
          sum = Math.max(0, sum + found.weight);
          usual += found.rate;
          isCertain ||= sum >= ALARM;
        }
        return isCertain ? usual : null;
      });
    });
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

/** After this time, what was seen counts half as much. */
const LEVEL_MEMORY_MINUTES = 90;
/** Requests at the usual level that count before anything was seen. */
const LEVEL_WEIGHT = 20;
const BLOCK_MINUTES = 5;
const FIRST_DISPERSION = 1.2;
const DISPERSION_MEMORY_BLOCKS = 48;
/** The most that one block may add: a single burst says nothing about other blocks. */
const MAX_DISPERSION_OF_BLOCK = 12;

/** How the last hours compare with what is usual. */
interface TrafficLevel {
  /** Ratio of the requests of the last hours to those that were usual then. */
  readRatio(): number;
  /** How much more than by chance requests vary: the ratio of variance to mean, over blocks of minutes. */
  readDispersion(): number;
  /** Learns from a minute in which nothing was unusual; `levelled` is what the level of that time made likely. */
  learn(seen: number, usual: number, levelled: number): void;
  /** What it has learned so far, to go on another way. */
  copy(): TrafficLevel;
}

/** Returns a level that has learned nothing yet but how much traffic varies on other days. */
function createTrafficLevel(usualDispersion: number): TrafficLevel {
  return learnFrom({
    level: { seen: 0, usual: 0 },
    block: { minutes: 0, seen: 0, usual: 0 },
    dispersion: Math.max(FIRST_DISPERSION, usualDispersion),
  });
}

interface Learned {
  readonly level: { seen: number; usual: number };
  readonly block: { minutes: number; seen: number; usual: number };
  readonly dispersion: number;
}

function learnFrom({ level, block, dispersion: first }: Learned): TrafficLevel {
  const memory = 0.5 ** (1 / LEVEL_MEMORY_MINUTES);
  let dispersion = first;

  const endBlock = (): void => {
    const own = block.usual < 1 ? 1 : (block.seen - block.usual) ** 2 / block.usual;
    dispersion += (Math.min(own, MAX_DISPERSION_OF_BLOCK) - dispersion) / DISPERSION_MEMORY_BLOCKS;
    block.minutes = 0;
    block.seen = 0;
    block.usual = 0;
  };
  return {
    readRatio: () => (level.seen + LEVEL_WEIGHT) / (level.usual + LEVEL_WEIGHT),
    readDispersion: () => dispersion,
    learn(seen, usual, levelled) {
      level.seen = level.seen * memory + seen;
      level.usual = level.usual * memory + usual;
      block.minutes += 1;
      block.seen += seen;
      block.usual += levelled;
      if (block.minutes === BLOCK_MINUTES) endBlock();
    },
    copy: () => learnFrom({ level: { ...level }, block: { ...block }, dispersion }),
  };
}

const DAY_HOURS = 24;
/** Hours on either side of an hour that show how busy its day is. */
const AROUND = 2;
/** With fewer hours than this, nothing is measured. */
const MIN_HOURS = 24;
/** This share of the hours, the most unusual ones, is left out: what stood out is not usual. */
const LEFT_OUT = 0.08;
/** An hour with fewer expected requests than this is left out. */
const LEAST_MEAN = 0.1;
/** An hour counts if at least this share of it is cached. */
const MIN_COVERED = 0.95;
/** The expected number varies too, since it follows from few other hours; this factor takes that out. */
const OF_EXPECTED = 1.3;

/**
 * Returns how much more than by chance the requests of hours vary: 1 for requests that come independently; for those
 * of sessions, which come together, about the number of requests in a session. An hour is compared with the same hour
 * of other days and with the hours around it, so that neither the time of day nor a busier day counts. `requests` and
 * `covered` (shares of 0 to 1) have a value for each hour. Returns 1 with too few hours.
 */
export function measureDispersion(requests: Float64Array, covered: Float64Array): number {
  const isCovered = (hour: number): boolean => (covered[hour] ?? 0) >= MIN_COVERED;
  const usual = Float64Array.from(requests, (_, hour) => toUsual(requests, isCovered, hour));
  const hours: { readonly squared: number; readonly mean: number }[] = [];
  for (let hour = 0; hour < requests.length; hour += 1) {
    const around = [-2, -1, 1, 2]
      .map((by) => hour + by)
      .filter((of) => of >= 0 && of < requests.length && isCovered(of));
    if (!isCovered(hour) || around.length < AROUND) continue;
    const sum = (values: Float64Array): number => around.reduce((total, of) => total + (values[of] ?? 0), 1);
    const mean = ((usual[hour] ?? 0) * sum(requests)) / sum(usual);
    if (mean >= LEAST_MEAN) hours.push({ squared: ((requests[hour] ?? 0) - mean) ** 2, mean });
  }
  if (hours.length < MIN_HOURS) return 1;
  hours.sort((a, b) => a.squared / a.mean - b.squared / b.mean);
  const kept = hours.slice(0, Math.ceil(hours.length * (1 - LEFT_OUT)));
  const squared = kept.reduce((total, hour) => total + hour.squared, 0);
  const mean = kept.reduce((total, hour) => total + hour.mean, 0);
  return Math.max(1, squared / mean / OF_EXPECTED);
}

/** The mean of the same hour on other days; 0 where there is none. */
function toUsual(requests: Float64Array, isCovered: (hour: number) => boolean, hour: number): number {
  let sum = 0;
  let days = 0;
  for (let other = hour % DAY_HOURS; other < requests.length; other += DAY_HOURS) {
    if (other === hour || !isCovered(other)) continue;
    sum += requests[other] ?? 0;
    days += 1;
  }
  return days === 0 ? 0 : sum / days;
}
