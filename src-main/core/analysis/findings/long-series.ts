/** Traffic of weeks is counted in slots of half an hour. */
export const LONG_SLOT_MS = 1_800_000;
export const DAY_SLOTS = 48;
/** Of each of them the most unusual five minutes are known. */
export const SHORT_SLOT_MS = 300_000;
export const SHORT_SLOTS = LONG_SLOT_MS / SHORT_SLOT_MS;
/** Five minutes with fewer times say nothing of how long requests take. */
export const MIN_SHORT_TIMED = 3;
const WEEK_SLOTS = 7 * DAY_SLOTS;
/** What is usual is learned in this many weeks. */
export const LONG_WEEKS = 5;

/** The requests of a place in slots of half an hour that follow one another. */
export interface LongCounts {
  readonly requests: Float64Array;
  /** Those that succeeded and say how long they took, and the sum of the logarithms of their times. */
  readonly timed: Float64Array;
  readonly logTimes: Float64Array;
  /** Requests of the five minutes with the most, and with the fewest of them. */
  readonly most: Float64Array;
  readonly fewest: Float64Array;
  /** The largest mean of the logarithms of the times of five minutes; NaN where none has enough of them. */
  readonly slowest: Float64Array;
  /** Which five minutes of the slot have the most requests, and which are the slowest: 0 to 5. */
  readonly mostAt: Float64Array;
  readonly slowestAt: Float64Array;
}

/** The requests of weeks, of which the last days are judged. */
export interface LongSeries extends LongCounts {
  /** The first slot, since the epoch. */
  readonly firstSlot: number;
  /** The first of the slots that are judged: those before say what is usual. */
  readonly judged: number;
  /** 1 for slots that are cached in full and not set aside. */
  readonly covered: Uint8Array;
}

/** What is compared: how many requests come, or how long they take. */
export type LongMeasure = 'volume' | 'time';

/** Days with something known before those that are judged. */
export function countKnownDays({ covered, judged }: Pick<LongSeries, 'covered' | 'judged'>): number {
  let known = 0;
  for (let slot = 0; slot < judged; slot += 1) known += covered[slot] as number;
  return known / DAY_SLOTS;
}

/** How far from usual the slots of a series are. */
export interface LongResiduals {
  /**
   * Logarithm of how many times the usual the requests of slots [from, to) are, or how long they took; null where
   * too little of them is known.
   */
  readonly compare: (from: number, to: number) => number | null;
  /** Requests of slots [from, to), how many were usual, and how many say how long they took. */
  readonly count: (
    from: number,
    to: number,
  ) => { readonly seen: number; readonly usual: number; readonly timed: number };
  /** The same as `compare`, of the most unusual five minutes of a slot. */
  readonly compareShort: (slot: number) => number | null;
}

const MIN_CANDIDATES = 3;
/** What is exceeded in a fifth of the weeks is usual too. */
const MOST = 0.8;
/** With a larger share of slots without requests, those say nothing: what comes now and then is not missing. */
const ON_AND_OFF = 0.05;
const NEAR_DAYS = 13;
/** Clocks change, and so do the hours at which people write: what was usual an hour before or after is usual. */
const SHIFTS = [0, -2, 2];
/** This much of a window is known, or nothing is said of it. */
const MIN_KNOWN = 0.8;
/** Requests that keep small numbers from saying much. */
const VOLUME_WEIGHT = 5;
const SHORT_VOLUME_WEIGHT = 3;
const TIME_WEIGHT = 2;
const MIN_TIMED = 3;
const LEVEL_DAYS = 7;

/**
 * Compares each slot with what is usual at its time of the week, or at its time of day where few weeks are known:
 * medians, so that no single odd day is usual or makes another one unusual.
 */
export function compareWithUsual(
  series: LongSeries,
  measure: LongMeasure,
  sign: 1 | -1,
): { readonly recent: LongResiduals; readonly readPast: () => LongResiduals } {
  const { requests, timed, judged } = series;
  const length = requests.length;
  const values = readValues(series, measure);
  let anyHour: { readonly middle: number; readonly bound: number } | null = null;
  /** Times hardly depend on the hour: where little is known of it, every hour says what is usual. */
  const readAnyHour = (): { readonly middle: number; readonly bound: number } => {
    anyHour ??= toUsual([...values.subarray(0, judged)].filter((value) => !Number.isNaN(value)));
    return anyHour;
  };
  const toUsual = (own: number[]): { readonly middle: number; readonly bound: number } => {
    if (own.length < MIN_CANDIDATES) return { middle: NaN, bound: NaN };
    const middle = toMiddle(own);
    const most = Math.floor(MOST * (own.length - 1));
    const bound =
      sign > 0 ? Math.max(own[most] ?? 0, middle) : Math.min(own[own.length - 1 - most] ?? 0, middle);
    return { middle, bound };
  };
  const expect = (from: number, to: number): { usual: Float64Array; bound: Float64Array } => {
    const usual = new Float64Array(length).fill(NaN);
    const bound = new Float64Array(length).fill(NaN);
    const own: number[] = [];
    for (let slot = Math.max(0, from); slot < to; slot += 1) {
      own.length = 0;
      addWeeks(own, values, slot, judged);
      if (own.length < MIN_CANDIDATES) addDays(own, values, slot, series);
      const found = own.length < MIN_CANDIDATES && measure === 'time' ? readAnyHour() : toUsual(own);
      usual[slot] = found.middle;
      bound[slot] = found.bound;
    }
    return { usual, bound };
  };
  const weights = measure === 'volume' ? null : timed;
  const toResiduals = (bound: Float64Array): LongResiduals => {
    const sums = createSums(values, bound, weights);
    return {
      compare: (from, to) =>
        measure === 'volume' ? compareVolume(sums, from, to) : compareTime(sums, from, to),
      count: (from, to) => ({
        seen: sums.seen(from, to),
        usual: sums.usual(0, from, to),
        timed: measure === 'volume' ? 0 : sums.weight(from, to),
      }),
      compareShort: (slot) => {
        if (Number.isNaN(values[slot] ?? NaN) || Number.isNaN(bound[slot] ?? NaN)) return null;
        const shifted = SHIFTS.map((shift) => bound[slot + shift] ?? NaN).filter((own) => !Number.isNaN(own));
        const most = sign > 0 ? Math.max(...shifted) : Math.min(...shifted);
        if (measure === 'time') {
          const own = series.slowest[slot] ?? NaN;
          return Number.isNaN(own) ? null : own - most;
        }
        const own = (sign > 0 ? series.most : series.fewest)[slot] ?? 0;
        return compareShortVolume(own, most);
      },
    };
  };
  const { usual, bound } = expect(judged - LEVEL_DAYS * DAY_SLOTS, length);
  if (measure === 'volume') {
    const factor = Math.exp(readLevel(values, usual, judged));
    for (let slot = judged; slot < length; slot += 1) bound[slot] = (bound[slot] ?? NaN) * factor;
  }
  let past: LongResiduals | null = null;
  return {
    recent: toResiduals(bound),
    readPast: () => {
      past ??= toResiduals(expect(0, judged).bound);
      return past;
    },
  };
}

/** True for a place that has no requests for half hours now and then. */
export function isOnAndOff({ requests, covered, judged }: LongSeries): boolean {
  let [known, empty] = [0, 0];
  for (let slot = 0; slot < judged; slot += 1) {
    if (covered[slot] !== 1) continue;
    known += 1;
    if (requests[slot] === 0) empty += 1;
  }
  return empty > ON_AND_OFF * known;
}

/** What is compared in each slot; NaN where nothing is known. */
function readValues(series: LongSeries, measure: LongMeasure): Float64Array {
  const { requests, timed, logTimes, covered } = series;
  const hasSilences = isOnAndOff(series);
  const isBeside = (slot: number): boolean =>
    hasSilences && (requests[slot - 1] === 0 || requests[slot] === 0 || requests[slot + 1] === 0);
  return Float64Array.from(requests, (count, slot) => {
    if (covered[slot] !== 1 || (measure === 'volume' && isBeside(slot))) return NaN;
    if (measure === 'volume') return count;
    const own = timed[slot] ?? 0;
    return own < MIN_TIMED ? NaN : (logTimes[slot] ?? 0) / own;
  });
}

function addWeeks(own: number[], values: Float64Array, slot: number, judged: number): void {
  for (let week = -LONG_WEEKS; week <= LONG_WEEKS; week += 1) {
    if (week === 0) continue;
    const place = slot + week * WEEK_SLOTS;
    if (place < 0 || place >= judged) continue;
    const value = values[place] as number;
    if (!Number.isNaN(value)) own.push(value);
  }
}

/** The same time on near days of the same kind: working days, or days of the weekend. */
function addDays(
  own: number[],
  values: Float64Array,
  slot: number,
  { judged, firstSlot }: Pick<LongSeries, 'judged' | 'firstSlot'>,
): void {
  const isWeekend = isWeekendSlot(firstSlot + slot);
  for (let day = -NEAR_DAYS; day <= NEAR_DAYS; day += 1) {
    const place = slot + day * DAY_SLOTS;
    if (day % 7 === 0 || place < 0 || place >= judged) continue;
    if (isWeekendSlot(firstSlot + place) !== isWeekend) continue;
    const value = values[place] as number;
    if (!Number.isNaN(value)) own.push(value);
  }
}

/** 1 January 1970 was a Thursday. */
export function isWeekendSlot(slot: number): boolean {
  const day = Math.floor(slot / DAY_SLOTS) % 7;
  return day === 2 || day === 3;
}

/** How the days just before compare with the weeks before: traffic grows and shrinks. */
function readLevel(values: Float64Array, usual: Float64Array, judged: number): number {
  const days: number[] = [];
  for (let day = 1; day <= LEVEL_DAYS; day += 1) {
    let [seen, expected] = [0, 0];
    for (let slot = Math.max(0, judged - day * DAY_SLOTS); slot < judged - (day - 1) * DAY_SLOTS; slot += 1) {
      const [value, before] = [values[slot] ?? NaN, usual[slot] ?? NaN];
      if (Number.isNaN(value) || Number.isNaN(before)) continue;
      seen += value;
      expected += before;
    }
    if (expected > 0 && seen > 0) days.push(Math.log(seen / expected));
  }
  return days.length < MIN_CANDIDATES ? 0 : toMiddle(days);
}

interface Sums {
  readonly known: (from: number, to: number) => number;
  readonly seen: (from: number, to: number) => number;
  readonly usual: (shift: number, from: number, to: number) => number;
  readonly weight: (from: number, to: number) => number;
  readonly weighted: (shift: number, from: number, to: number) => number;
}

/** Sums from the first slot on, so that each span is one subtraction: rows of one array, since many are made. */
function createSums(values: Float64Array, usual: Float64Array, weights: Float64Array | null): Sums {
  const length = values.length;
  const row = length + 1;
  const shifts = SHIFTS.length;
  const sums = new Float64Array((3 + 2 * shifts) * row);
  for (let slot = 0; slot < length; slot += 1) {
    const value = values[slot] as number;
    const here = usual[slot] as number;
    const isKnown = !Number.isNaN(value) && !Number.isNaN(here);
    if (!isKnown) {
      for (let at = slot; at < sums.length; at += row) sums[at + 1] = sums[at] as number;
      continue;
    }
    const mass = weights === null ? 1 : (weights[slot] as number);
    sums[slot + 1] = (sums[slot] as number) + 1;
    sums[row + slot + 1] = (sums[row + slot] as number) + value;
    sums[2 * row + slot + 1] = (sums[2 * row + slot] as number) + mass;
    for (let shift = 0; shift < shifts; shift += 1) {
      const moved = usual[Math.max(0, Math.min(length - 1, slot + (SHIFTS[shift] as number)))] as number;
      const own = Number.isNaN(moved) ? here : moved;
      const plain = (3 + shift) * row + slot;
      const heavy = (3 + shifts + shift) * row + slot;
      sums[plain + 1] = (sums[plain] as number) + own;
      sums[heavy + 1] = (sums[heavy] as number) + mass * (value - own);
    }
  }
  const between = (place: number, from: number, to: number): number =>
    (sums[place * row + Math.min(length, to)] as number) - (sums[place * row + Math.max(0, from)] as number);
  return {
    known: (from, to) => between(0, from, to),
    seen: (from, to) => between(1, from, to),
    weight: (from, to) => between(2, from, to),
    usual: (shift, from, to) => between(3 + shift, from, to),
    weighted: (shift, from, to) => between(3 + shifts + shift, from, to),
  };
}

function compareVolume(sums: Sums, from: number, to: number): number | null {
  if (from < 0 || sums.known(from, to) < MIN_KNOWN * (to - from)) return null;
  const seen = sums.seen(from, to) + VOLUME_WEIGHT;
  return nearest((shift) => Math.log(seen / (sums.usual(shift, from, to) + VOLUME_WEIGHT)));
}

/** The requests of five minutes against those that are usual in half an hour. */
export function compareShortVolume(seen: number, usual: number): number {
  return Math.log((seen + SHORT_VOLUME_WEIGHT) / (usual / SHORT_SLOTS + SHORT_VOLUME_WEIGHT));
}

function compareTime(sums: Sums, from: number, to: number): number | null {
  if (from < 0) return null;
  const weight = sums.weight(from, to);
  // Nights without requests are no part of how long they take.
  if (weight === 0 || sums.known(from, to) < (MIN_KNOWN / 2) * (to - from)) return null;
  return nearest((shift) => sums.weighted(shift, from, to) / (weight + TIME_WEIGHT));
}

function nearest(compare: (shift: number) => number): number {
  let best = compare(0);
  for (let shift = 1; shift < SHIFTS.length; shift += 1) {
    const own = compare(shift);
    if (Math.sign(own) !== Math.sign(best)) return 0;
    if (Math.abs(own) < Math.abs(best)) best = own;
  }
  return best;
}

/** The middle of some values. Sorts them. */
export function toMiddle(values: number[]): number {
  values.sort((a, b) => a - b);
  const upper = values[Math.floor(values.length / 2)] ?? 0;
  const lower = values[Math.ceil(values.length / 2) - 1] ?? 0;
  return (lower + upper) / 2;
}
