import { civilToUtcMs } from './civil-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import { fromCivilTime, toCivilTime } from './time-zones.ts';

/** Lengths that a bucket may have: those that people count in. */
export const BUCKET_WIDTHS_MS: readonly number[] = [
  ...[1, 5, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 7, 28, 91].map((days) => days * DAY_MS),
  // Years of whole weeks.
  ...[1, 5, 10, 50, 100, 500].map((years) => years * 364 * DAY_MS),
];

/** The shortest length of which at most `maxBuckets` fill a span; the longest where none is long enough. */
export function pickBucketWidth(spanMs: number, maxBuckets: number): number {
  return (
    BUCKET_WIDTHS_MS.find((widthMs) => spanMs / widthMs <= maxBuckets) ?? BUCKET_WIDTHS_MS.at(-1) ?? DAY_MS
  );
}

/**
 * Edges of buckets that cover [fromMs, toMs) and begin at round times of a zone's clock: the first at or before `fromMs`,
 * the last at or after `toMs`. Where the clock changes, a bucket of hours or days is an hour longer or shorter.
 */
export function listBucketEdges(fromMs: number, toMs: number, widthMs: number, zone: string): number[] {
  const edges = [floorToBucket(fromMs, widthMs, zone)];
  for (;;) {
    const last = edges.at(-1) ?? toMs;
    if (last >= toMs) return edges;
    // From within the next bucket, so that an hour more or less leads to its edge all the same.
    const probeMs = last + widthMs + (widthMs > HOUR_MS ? widthMs / 2 : 0);
    const next = floorToBucket(probeMs, widthMs, zone);
    edges.push(next > last ? next : last + widthMs);
  }
}

function floorToBucket(atMs: number, widthMs: number, zone: string): number {
  if (widthMs < HOUR_MS) {
    const { minute, second, millisecond } = toCivilTime(atMs, zone);
    const sinceHourMs = minute * MINUTE_MS + second * SECOND_MS + millisecond;
    return atMs - (sinceHourMs % widthMs);
  }
  const civil = toCivilTime(atMs, zone);
  const start = { ...civil, minute: 0, second: 0, millisecond: 0 };
  if (widthMs < DAY_MS) {
    const hours = widthMs / HOUR_MS;
    const edge = fromCivilTime({ ...start, hour: civil.hour - (civil.hour % hours) }, zone);
    // Of an hour that the clock shows twice, the second one begins a bucket of its own.
    return hours === 1 && atMs - edge >= HOUR_MS ? edge + HOUR_MS : edge;
  }
  const days = widthMs / DAY_MS;
  const dayNumber = Math.floor(civilToUtcMs({ ...start, hour: 0 }) / DAY_MS);
  // 5 January 1970 was a Monday: weeks begin with it.
  const first = new Date((dayNumber - ((((dayNumber - 4) % days) + days) % days)) * DAY_MS);
  return fromCivilTime(
    {
      ...start,
      year: first.getUTCFullYear(),
      month: first.getUTCMonth() + 1,
      day: first.getUTCDate(),
      hour: 0,
    },
    zone,
  );
}
