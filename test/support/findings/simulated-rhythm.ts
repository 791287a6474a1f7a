const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Flows by their share of all requests: some are large, some small. */
export const FLOWS = [
  { channel: 1, service: 2, weight: 26, medianMs: 170 },
  { channel: 1, service: 7, weight: 17, medianMs: 420 },
  { channel: 2, service: 2, weight: 15, medianMs: 160 },
  { channel: 2, service: 5, weight: 12, medianMs: 260 },
  { channel: 3, service: 7, weight: 14, medianMs: 450 },
  { channel: 3, service: 2, weight: 9, medianMs: 180 },
  { channel: 4, service: 5, weight: 5, medianMs: 240 },
  { channel: 4, service: 9, weight: 2, medianMs: 900 },
] as const;

/** Share of requests that fail on any day. */
export const USUAL_FAILING = 0.015;

/** Share of an ordinary Tuesday's noon, by hour of the day. */
const HOURS = [
  0.1, 0.07, 0.05, 0.04, 0.05, 0.09, 0.2, 0.42, 0.68, 0.86, 0.95, 1, 0.97, 0.93, 0.95, 0.96, 0.92, 0.86, 0.78,
  0.67, 0.55, 0.42, 0.28, 0.17,
];
const WEEKDAYS = [0.35, 1, 1.05, 1.02, 1, 0.95, 0.45];

/** Returns how busy a time is, relative to the busiest of an ordinary day. */
export function toRhythm(atMs: number): number {
  const place = (atMs % DAY_MS) / HOUR_MS - 0.5;
  const hour = Math.floor(place);
  const read = (of: number): number => HOURS[(of + 24) % 24] ?? 0;
  const share = read(hour) + (read(hour + 1) - read(hour)) * (place - hour);
  // People don't change their habits at midnight.
  const toWeekday = (ofMs: number): number => WEEKDAYS[new Date(ofMs).getUTCDay()] ?? 1;
  const [before, after] = [toWeekday(atMs - 3 * HOUR_MS), toWeekday(atMs + 3 * HOUR_MS)];
  const sinceMs = (atMs + 3 * HOUR_MS) % DAY_MS;
  return share * (sinceMs < 6 * HOUR_MS ? before + ((after - before) * sinceMs) / (6 * HOUR_MS) : after);
}

/** Returns whether a flow belongs to a place. */
export function strikes(
  { channel, service }: { readonly channel: number | null; readonly service: number | null },
  flow: { readonly channel: number; readonly service: number },
): boolean {
  return (channel === null || channel === flow.channel) && (service === null || service === flow.service);
}
