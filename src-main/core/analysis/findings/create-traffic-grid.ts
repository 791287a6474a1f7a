import type { Direction } from '../../../common/reporting/reports.ts';
import { HOUR_MS, MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import {
  divideByFlow,
  NO_CELLS,
  type TrafficCells,
  type FlowCells,
  type FlowColumns,
} from './traffic-cells.ts';
import {
  isSetAsideAt,
  toFirstHour,
  createCounts,
  createHourCounts,
  FAILED,
  HOUR_MINUTES,
  UNTIMED,
  USUAL_DAYS,
  type KnownSlots,
  type SetAside,
  type TrafficGrid,
  type TrafficFlow,
} from './traffic-grid.ts';

/** Only the busiest flows are looked at by themselves; what is larger than a flow is the sum of these. */
const MAX_FLOWS = 400;

/**
 * Lays counted outcomes out in time. `hours` holds what came in the week before the window, `minutes` what came in it,
 * which begins at a midnight. `covered` are the spans that are cached in full, in order; what came in spans that are set
 * aside doesn't count.
 */
export function createTrafficGrid(input: {
  readonly direction: Direction;
  readonly window: TimeSpan;
  readonly hours: TrafficCells;
  readonly minutes: TrafficCells;
  /** The same, by how long successful requests took to reach the connector: only inbound ones say it. */
  readonly late?: { readonly hours: TrafficCells; readonly minutes: TrafficCells };
  readonly covered: readonly TimeSpan[];
  readonly setAside?: readonly SetAside[];
}): TrafficGrid {
  const { direction, window, setAside = [] } = input;
  const isEverywhere = ({ channel, service }: SetAside): boolean => (channel ?? service ?? null) === null;
  const everywhere = setAside.filter(isEverywhere);
  const covered = everywhere.reduce<readonly TimeSpan[]>(subtractSpan, input.covered);
  const firstHour = toFirstHour(window);
  const firstMinute = Math.floor(window.fromMs / MINUTE_MS);
  const hourCount = Math.ceil(window.toMs / HOUR_MS) - firstHour;
  const minuteCount = Math.max(0, Math.ceil(window.toMs / MINUTE_MS) - firstMinute);
  const measure = (spans: readonly TimeSpan[]): KnownSlots => ({
    hoursCovered: measureCovered(spans, firstHour, hourCount, HOUR_MS),
    minutesCovered: Uint8Array.from(
      measureCovered(spans, firstMinute, minuteCount, MINUTE_MS).map((share) => (share >= 1 ? 1 : 0)),
    ),
  });
  const known = measure(covered);
  const busiest = divideByFlow(
    input.hours,
    input.minutes,
    input.late ?? { hours: NO_CELLS, minutes: NO_CELLS },
  ).sort((a, b) => b.total - a.total || a.channel - b.channel || a.service - b.service);
  return {
    direction,
    firstHour,
    firstMinute,
    ...known,
    flows: busiest.slice(0, MAX_FLOWS).map((cells) => {
      const { channel, service } = { channel: toPlace(cells.channel), service: toPlace(cells.service) };
      const limited = setAside.filter(
        (span) => !isEverywhere(span) && isSetAsideAt(span, { channel, service }),
      );
      const own = limited.length === 0 ? known : measure(limited.reduce(subtractSpan, covered));
      const frame: Frame = { firstHour, firstMinute, hourCount, minuteCount, ...own };
      return createFlow(direction, cells, frame, [...everywhere, ...limited]);
    }),
  };
}

function toPlace(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** Returns spans without the time of one. */
export function subtractSpan(spans: readonly TimeSpan[], { fromMs, toMs }: TimeSpan): readonly TimeSpan[] {
  return spans
    .flatMap((span) => [
      { fromMs: span.fromMs, toMs: Math.min(span.toMs, fromMs) },
      { fromMs: Math.max(span.fromMs, toMs), toMs: span.toMs },
    ])
    .filter((span) => span.toMs > span.fromMs);
}

/** Returns the share of each slot that spans side by side cover. */
export function measureCovered(
  spans: readonly TimeSpan[],
  first: number,
  count: number,
  slotMs: number,
): Float64Array {
  const shares = new Float64Array(count);
  for (const { fromMs, toMs } of spans) {
    const last = Math.min(count - 1, Math.floor((toMs - 1) / slotMs) - first);
    for (let slot = Math.max(0, Math.floor(fromMs / slotMs) - first); slot <= last; slot += 1) {
      const slotFromMs = (first + slot) * slotMs;
      const coveredMs = Math.min(toMs, slotFromMs + slotMs) - Math.max(fromMs, slotFromMs);
      shares[slot] = (shares[slot] ?? 0) + coveredMs / slotMs;
    }
  }
  return shares;
}

/** At most this share of the requests of the week before is called slow. */
const SLOW_SHARE = 0.15;
/** With fewer timed requests in it, all say what is slow. */
const MIN_TIMED = 200;
const OUTCOMES = 64;
/** An hour's outcomes, the negative ones too. */
const ROW = OUTCOMES - UNTIMED;
const DAY_MINUTES = 24 * HOUR_MINUTES;

/** The window of a grid, the week before it, and what is known of them. */
interface Frame extends KnownSlots {
  readonly firstHour: number;
  readonly firstMinute: number;
  readonly hourCount: number;
  readonly minuteCount: number;
}

/** Lays the counted outcomes of a channel and service out in time, without those of slots that spans set aside. */
function createFlow(
  direction: Direction,
  cells: FlowCells,
  { firstHour, firstMinute, hourCount, minuteCount, hoursCovered, minutesCovered }: Frame,
  setAside: readonly TimeSpan[] = [],
): TrafficFlow {
  const isSetAside = (slot: number, slotMs: number): boolean =>
    setAside.length > 0 &&
    setAside.some(({ fromMs, toMs }) => slot * slotMs < toMs && (slot + 1) * slotMs > fromMs);
  const firstDay = Math.floor(firstMinute / DAY_MINUTES);
  const days = Math.max(1, Math.ceil((firstMinute + minuteCount) / DAY_MINUTES) - firstDay);
  const hours = createHourCounts(hourCount, days);
  const minutes = createCounts(minuteCount);
  /** Counts by the hour what became of requests, the negative outcomes first, and hands on what is long on each day. */
  const layOut = (
    ofHours: FlowColumns,
    ofMinutes: FlowColumns,
    into: readonly Float64Array[],
    each: (hour: number, sum: (from: number) => number, row: Float64Array) => void,
  ): number[] => {
    const outcomes = OUTCOMES_OF_HOURS.take(hourCount * ROW);
    const count = ({ slots, outcomes: own, counts }: FlowColumns, slotsPerHour: number): void => {
      for (let cell = 0; cell < slots.length; cell += 1) {
        const hour = Math.floor((slots[cell] ?? 0) / slotsPerHour) - firstHour;
        if (hour < 0 || hour >= hourCount) continue;
        if (isSetAside(slots[cell] ?? 0, HOUR_MS / slotsPerHour)) continue;
        const place = hour * ROW + (own[cell] ?? UNTIMED) - UNTIMED;
        outcomes[place] = (outcomes[place] ?? 0) + (counts[cell] ?? 0);
      }
    };
    count(ofHours, 1);
    count(ofMinutes, HOUR_MINUTES);
    const sums = sumUpHours(outcomes);
    const limits = into.map((_, day) => findSlow(sums, (firstDay + day) * 24 - firstHour));
    /** How many requests of an hour had an outcome or a later one. */
    const later = new Float64Array(ROW + 1);
    const sum = (from: number): number => later[from - UNTIMED] ?? 0;
    for (let hour = 0; hour < hourCount; hour += 1) {
      const row = outcomes.subarray(hour * ROW, (hour + 1) * ROW);
      for (let place = ROW - 1; place >= 0; place -= 1)
        later[place] = (later[place + 1] as number) + (row[place] as number);
      each(hour, sum, row);
      for (const [day, long] of into.entries()) long[hour] = sum(limits[day] ?? OUTCOMES);
    }
    return limits;
  };
  const forEachMinute = (
    { slots, outcomes, counts }: FlowColumns,
    each: (minute: number, outcome: number, own: number) => void,
  ): void => {
    for (let cell = 0; cell < slots.length; cell += 1) {
      const minute = (slots[cell] ?? 0) - firstMinute;
      if (minute < 0 || minute >= minuteCount || isSetAside(slots[cell] ?? 0, MINUTE_MS)) continue;
      each(minute, outcomes[cell] ?? UNTIMED, counts[cell] ?? 0);
    }
  };
  const raise = (values: Float64Array, slot: number, own: number): void => {
    values[slot] = (values[slot] ?? 0) + own;
  };
  const isLong = (limits: readonly number[], minute: number, outcome: number): boolean =>
    outcome >= (limits[Math.floor(minute / DAY_MINUTES)] ?? OUTCOMES);
  const limits = layOut(cells.hours, cells.minutes, hours.slowFor, (hour, sum, row) => {
    hours.requests[hour] = sum(UNTIMED);
    hours.failures[hour] = row[FAILED - UNTIMED] ?? 0;
    hours.timed[hour] = sum(0);
  });
  forEachMinute(cells.minutes, (minute, outcome, own) => {
    raise(minutes.requests, minute, own);
    if (outcome === FAILED) raise(minutes.failures, minute, own);
    if (outcome >= 0) raise(minutes.timed, minute, own);
    if (isLong(limits, minute, outcome)) raise(minutes.slow, minute, own);
  });
  if (cells.lateHours.slots.length + cells.lateMinutes.slots.length > 0) {
    const lateLimits = layOut(cells.lateHours, cells.lateMinutes, hours.lateFor, (hour, sum) => {
      hours.reached[hour] = sum(0);
    });
    forEachMinute(cells.lateMinutes, (minute, outcome, own) => {
      raise(minutes.reached, minute, own);
      if (isLong(lateLimits, minute, outcome)) raise(minutes.late, minute, own);
    });
  }
  const toNumber = (value: number): number | null => (Number.isNaN(value) ? null : value);
  return {
    direction,
    channel: toNumber(cells.channel),
    service: toNumber(cells.service),
    hoursCovered,
    minutesCovered,
    hours,
    minutes,
  };
}

/** Zeros that are used for one flow after the other: a list of days lays out thousands, and each would be thrown away. */
function createRoom(): { take(length: number): Float64Array } {
  let room = new Float64Array();
  return {
    take(length) {
      if (room.length < length) room = new Float64Array(length);
      return room.subarray(0, length).fill(0);
    },
  };
}

const OUTCOMES_OF_HOURS = createRoom();
const SUMS_OF_HOURS = createRoom();

/** For each hour and the end: how many timed requests of all hours before it had each outcome. */
function sumUpHours(outcomes: Float64Array): Float64Array {
  const hours = outcomes.length / ROW;
  const sums = SUMS_OF_HOURS.take((hours + 1) * OUTCOMES);
  for (let hour = 0; hour < hours; hour += 1) {
    const [from, own] = [hour * OUTCOMES, hour * ROW - UNTIMED];
    for (let outcome = 0; outcome < OUTCOMES; outcome += 1)
      sums[from + OUTCOMES + outcome] =
        (sums[from + outcome] as number) + (outcomes[own + outcome] as number);
  }
  return sums;
}

/** The first outcome that is slow on a day, from the hours of the week before it. */
function findSlow(sums: Float64Array, firstHourOfDay: number): number {
  const hours = sums.length / OUTCOMES - 1;
  const toPlace = (hour: number): number => Math.min(hours, Math.max(0, hour)) * OUTCOMES;
  const count = (from: number, to: number, outcome: number): number =>
    (sums[to + outcome] as number) - (sums[from + outcome] as number);
  const countAll = (from: number, to: number): number => {
    let total = 0;
    for (let outcome = 0; outcome < OUTCOMES; outcome += 1) total += count(from, to, outcome);
    return total;
  };
  let [from, to] = [toPlace(firstHourOfDay - USUAL_DAYS * 24), toPlace(firstHourOfDay)];
  let total = countAll(from, to);
  if (total < MIN_TIMED) {
    [from, to] = [0, toPlace(hours)];
    total = countAll(from, to);
  }
  let above = 0;
  for (let outcome = OUTCOMES - 1; outcome >= 0; outcome -= 1) {
    above += count(from, to, outcome);
    if (above > total * SLOW_SHARE) return outcome + 1;
  }
  return OUTCOMES;
}
