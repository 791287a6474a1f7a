import type { Direction } from '../../../common/reporting/reports.ts';
import { HOUR_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';

export const HOUR_MINUTES = 60;
/** Days before from which the usual level at a time of day is learned. */
export const USUAL_DAYS = 7;

/** What became of requests, beside how long successful ones took in half octaves of a millisecond, from 0. */
export const FAILED = -1;
export const UNTIMED = -2;

/**
 * What is counted of requests: `timed` are those that succeeded and say how long they took, and `slow` those of them that
 * took long for their flow; `reached` and `late` are the same of how long they took to reach the connector.
 */
export const COUNT_NAMES = ['requests', 'failures', 'timed', 'slow', 'reached', 'late'] as const;
/** Requests by slot of time. */
export type TrafficCounts = Readonly<Record<(typeof COUNT_NAMES)[number], Float64Array>>;
const HOUR_NAMES = ['requests', 'failures', 'timed', 'reached'] as const;
const DAY_NAMES = ['slowFor', 'lateFor'] as const;

/**
 * Requests by the hour. What is slow or late is decided for each day of the window: `slowFor` and `lateFor` have the
 * hours as each sees them.
 */
export type HourCounts = Readonly<Record<(typeof HOUR_NAMES)[number], Float64Array>> &
  Readonly<Record<(typeof DAY_NAMES)[number], readonly Float64Array[]>>;

/** A span about which nothing is told and that no usual level is learned from: everywhere, or at a channel or service. */
export interface SetAside extends TimeSpan {
  readonly channel?: number | null;
  readonly service?: number | null;
}

/** Which of the hours and minutes of a window and the week before are known. */
export interface KnownSlots {
  /** Share of each hour that is cached in full and not set aside, 0 to 1. */
  readonly hoursCovered: Float64Array;
  /** 1 for minutes that are cached in full and not set aside. */
  readonly minutesCovered: Uint8Array;
}

/** The requests of one channel and service in a direction, null where they have none. */
export interface TrafficFlow extends KnownSlots {
  readonly direction: Direction;
  readonly channel: number | null;
  readonly service: number | null;
  readonly hours: HourCounts;
  readonly minutes: TrafficCounts;
}

/** What is cached of traffic: a window by minutes, and hours from a week before it to its end. */
export interface TrafficCoverage extends KnownSlots {
  readonly firstHour: number;
  readonly firstMinute: number;
}

/** The traffic of one direction. */
export interface TrafficGrid extends TrafficCoverage {
  readonly direction: Direction;
  readonly flows: readonly TrafficFlow[];
}

/** Returns counts of nothing. */
export function createCounts(slots: number): TrafficCounts {
  return mapCounts(() => new Float64Array(slots));
}

/** Returns counts of nothing, for a window of some days. */
export function createHourCounts(hours: number, days: number): HourCounts {
  const { requests, failures, timed, reached } = createCounts(hours);
  const create = (): Float64Array[] => Array.from({ length: days }, () => new Float64Array(hours));
  return { requests, failures, timed, reached, slowFor: create(), lateFor: create() };
}

/** Adds the requests of some hours to those of a whole, or (-1 times) takes them away. */
export function addHours(whole: HourCounts, own: HourCounts, times: 1 | -1 = 1): void {
  for (const name of HOUR_NAMES) addCounts(whole[name], own[name], times);
  for (const name of DAY_NAMES)
    for (const [day, hits] of own[name].entries()) addCounts(whole[name][day] ?? hits, hits, times);
}

/** Returns the requests of some minutes once more. */
export function copyCounts(counts: TrafficCounts): TrafficCounts {
  return mapCounts((name) => counts[name].slice());
}

function mapCounts(make: (name: keyof TrafficCounts) => Float64Array): TrafficCounts {
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, make(name)])) as TrafficCounts;
}

/** Adds the requests of some minutes to those of a whole, or (-1 times) takes them away. */
export function addMinutes(whole: TrafficCounts, own: TrafficCounts, times: 1 | -1 = 1): void {
  // Written out, as a loop over the names takes twice as long; one that is missing here doesn't compile.
  const from: TrafficCounts = {
    requests: own.requests,
    failures: own.failures,
    timed: own.timed,
    slow: own.slow,
    reached: own.reached,
    late: own.late,
  };
  for (let minute = 0; minute < from.requests.length; minute += 1) {
    const count = from.requests[minute] as number;
    if (count === 0) continue;
    whole.requests[minute] = (whole.requests[minute] as number) + times * count;
    whole.failures[minute] = (whole.failures[minute] as number) + times * (from.failures[minute] as number);
    whole.timed[minute] = (whole.timed[minute] as number) + times * (from.timed[minute] as number);
    whole.slow[minute] = (whole.slow[minute] as number) + times * (from.slow[minute] as number);
    if (from.reached[minute] === 0) continue;
    whole.reached[minute] = (whole.reached[minute] as number) + times * (from.reached[minute] as number);
    whole.late[minute] = (whole.late[minute] as number) + times * (from.late[minute] as number);
  }
}

function addCounts(to: Float64Array, from: Float64Array, times: number): void {
  for (let slot = 0; slot < from.length; slot += 1)
    to[slot] = (to[slot] as number) + times * (from[slot] as number);
}

/** Returns what is known of several flows, or directions, together: what is known of each of them. */
export function intersectKnown(parts: readonly KnownSlots[]): KnownSlots {
  const [first, ...others] = parts;
  const differing = [...new Map(others.map((other) => [other.hoursCovered, other])).values()].filter(
    (other) => other.hoursCovered !== first?.hoursCovered,
  );
  return {
    hoursCovered: (first?.hoursCovered ?? new Float64Array()).map((share, hour) =>
      Math.min(share, ...differing.map(({ hoursCovered }) => hoursCovered[hour] ?? 0)),
    ),
    minutesCovered: (first?.minutesCovered ?? new Uint8Array()).map((own, minute) =>
      Math.min(own, ...differing.map(({ minutesCovered }) => minutesCovered[minute] ?? 0)),
    ),
  };
}

/** True where a span is set aside at a place, or at all of a place that holds it. */
export function isSetAsideAt(
  { channel = null, service = null }: Pick<SetAside, 'channel' | 'service'>,
  place: { readonly channel: number | null; readonly service: number | null },
): boolean {
  return (channel === null || channel === place.channel) && (service === null || service === place.service);
}

/** Returns the first hour, since the epoch, that says what is usual in a window: a day is taken around each hour. */
export function toFirstHour({ fromMs }: TimeSpan): number {
  return Math.floor(fromMs / HOUR_MS) - USUAL_DAYS * 24 - 12;
}
