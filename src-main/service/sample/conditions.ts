/** A stretch in which traffic fails or slows. Times as age before the end of the history, in minutes. */
interface Incident {
  readonly fromAgeMin: number;
  readonly toAgeMin: number;
  readonly channel?: number;
  readonly service?: number;
  readonly failureShare: number;
  readonly responseCode: number;
  readonly slowdown: number;
}

const HOUR = 60;
const DAY = 24 * HOUR;

/** The channel and service that time out as the history ends, and those that slow down. */
export const TIMING_OUT = { channel: 3, service: 7 } as const;
export const SLOWED_DOWN = { channel: 1, service: 2 } as const;
/** Minutes before the history's end in which they do. */
export const RECENT_MINUTES = 48;

const INCIDENTS: readonly Incident[] = [
  // Still going on when the history ends: what stands out in its last hour.
  {
    fromAgeMin: RECENT_MINUTES,
    toAgeMin: 0,
    ...TIMING_OUT,
    failureShare: 0.85,
    responseCode: 504,
    slowdown: 2,
  },
  {
    fromAgeMin: RECENT_MINUTES,
    toAgeMin: 0,
    ...SLOWED_DOWN,
    failureShare: 0.01,
    responseCode: 500,
    slowdown: 5,
  },
  // Today: one service behind one channel times out.
  {
    fromAgeMin: 5 * HOUR,
    toAgeMin: 3.5 * HOUR,
    channel: 3,
    service: 7,
    failureShare: 0.62,
    responseCode: 504,
    slowdown: 3,
  },
  {
    fromAgeMin: 26 * HOUR,
    toAgeMin: 20 * HOUR,
    service: 5,
    failureShare: 0.04,
    responseCode: 504,
    slowdown: 6,
  },
  {
    fromAgeMin: 3 * DAY + 2 * HOUR,
    toAgeMin: 3 * DAY + 95,
    failureShare: 0.88,
    responseCode: 503,
    slowdown: 1,
  },
  {
    fromAgeMin: 6 * DAY,
    toAgeMin: 6 * DAY - 3 * HOUR,
    service: 4,
    failureShare: 0.3,
    responseCode: 429,
    slowdown: 1.2,
  },
  {
    fromAgeMin: 9 * DAY,
    toAgeMin: 9 * DAY - 2 * HOUR,
    channel: 2,
    failureShare: 0.75,
    responseCode: 401,
    slowdown: 1,
  },
  {
    fromAgeMin: 14 * DAY,
    toAgeMin: 13 * DAY,
    service: 2,
    failureShare: 0.02,
    responseCode: 500,
    slowdown: 2.5,
  },
  {
    fromAgeMin: 20 * DAY,
    toAgeMin: 20 * DAY - 5 * HOUR,
    channel: 5,
    failureShare: 0.25,
    responseCode: 502,
    slowdown: 1.5,
  },
];

/** How a request fares. `failureCode` null means the everyday mixture of failures. */
export interface Conditions {
  readonly failureShare: number;
  readonly failureCode: number | null;
  readonly slowdown: number;
}

/** Everyday conditions of a service: some fail a little more often than others. */
export function toEverydayConditions(service: number): Conditions {
  return { failureShare: 0.008 + (service % 4) * 0.006, failureCode: null, slowdown: 1 };
}

/** Conditions at an age before the history's end, in milliseconds. */
export function findConditions(ageMs: number, channel: number, service: number): Conditions {
  const ageMin = ageMs / 60_000;
  for (const incident of INCIDENTS) {
    if (ageMin > incident.fromAgeMin || ageMin <= incident.toAgeMin) continue;
    if (incident.channel !== undefined && incident.channel !== channel) continue;
    if (incident.service !== undefined && incident.service !== service) continue;
    const { failureShare, responseCode, slowdown } = incident;
    return { failureShare, failureCode: responseCode, slowdown };
  }
  return toEverydayConditions(service);
}
