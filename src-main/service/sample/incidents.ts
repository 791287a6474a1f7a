import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';

/** A stretch in which sample traffic fails, slows, swells or ceases: from its first instant up to its end. */
export interface Incident extends IncidentEffect {
  readonly fromMs: number;
  readonly toMs: number;
}

/** After so many days the programme of a longer history repeats itself. */
const CYCLE_DAYS = 30;

/** Where the last minutes of the history go wrong, and the first ones after it. */
const RECENT_FROM_MS = 48 * MINUTE_MS;
const RECENT_TO_MS = 12 * MINUTE_MS;

const RECENT: readonly IncidentEffect[] = [
  {
    kind: 'timeouts',
    channel: 3,
    service: 7,
    failureShare: 0.85,
    responseCode: 504,
    slowdown: 2,
    retries: 40,
  },
  {
    kind: 'slow-service',
    channel: 1,
    service: 2,
    failureShare: 0.01,
    responseCode: 500,
    slowdown: 5,
    retries: 64,
  },
];

interface PlannedIncident extends IncidentEffect {
  /** Days before the day on which the history ends. */
  readonly daysBefore: number;
  /** Minute of that day in UTC; in working hours, so that there is traffic for it to meet. */
  readonly minute: number;
  readonly minutes: number;
}

/** The days 21 to 29 before the end are quiet: what comes later has something to be compared with. */
const PROGRAMME: readonly PlannedIncident[] = [
  {
    daysBefore: 20,
    minute: 9 * 60 + 10,
    minutes: 300,
    kind: 'bad-gateway',
    channel: 5,
    failureShare: 0.25,
    responseCode: 502,
    slowdown: 1.5,
  },
  {
    daysBefore: 16,
    minute: 6 * 60,
    minutes: 4 * 1440 + 40,
    kind: 'slow-leak',
    service: 2,
    slowdown: 4,
    grows: true,
  },
  {
    daysBefore: 10,
    minute: 10 * 60 + 5,
    minutes: 195,
    kind: 'bad-release',
    service: 3,
    failureShare: 0.5,
    responseCode: 422,
    retries: 40,
  },
  {
    daysBefore: 9,
    minute: 14 * 60 + 20,
    minutes: 120,
    kind: 'refused-credentials',
    channel: 2,
    failureShare: 0.75,
    responseCode: 401,
  },
  { daysBefore: 7, minute: 17 * 60 + 30, minutes: 90, kind: 'volume-surge', volume: 3.5 },
  {
    daysBefore: 6,
    minute: 9 * 60 + 30,
    minutes: 180,
    kind: 'rate-limiting',
    service: 4,
    failureShare: 0.3,
    responseCode: 429,
    slowdown: 1.2,
  },
  { daysBefore: 4, minute: 13 * 60, minutes: 150, kind: 'channel-silent', channel: 4, volume: 0 },
  {
    daysBefore: 3,
    minute: 10 * 60 + 40,
    minutes: 75,
    kind: 'connector-outage',
    failureShare: 0.97,
    responseCode: 503,
    reported: 'connector-down',
  },
  {
    daysBefore: 1,
    minute: 8 * 60,
    minutes: 360,
    kind: 'slow-service',
    service: 5,
    failureShare: 0.04,
    responseCode: 504,
    slowdown: 6,
  },
];

/** The last day's own, by age: at whatever hour the history ends, there is one to look into. */
const TODAY: readonly Incident[] = [
  {
    fromMs: -5 * HOUR_MS,
    toMs: -3.5 * HOUR_MS,
    kind: 'timeouts',
    retries: 40,
    channel: 3,
    service: 7,
    failureShare: 0.62,
    responseCode: 504,
    slowdown: 3,
  },
];

/** New traffic, each day again: minutes after the instant of the day at which the history ended. */
const LIVE: readonly (IncidentEffect & { readonly minute: number; readonly minutes: number })[] = [
  // Deliberately not what the status operation says.
  { minute: 35, minutes: 14, kind: 'silent-failure', failureShare: 1, responseCode: 502, outboundOnly: true },
  {
    minute: 120,
    minutes: 12,
    kind: 'connector-outage',
    failureShare: 0.97,
    responseCode: 503,
    reported: 'connector-down',
  },
  {
    minute: 260,
    minutes: 50,
    kind: 'timeouts',
    channel: 3,
    service: 7,
    failureShare: 0.7,
    responseCode: 504,
    slowdown: 2,
  },
  { minute: 420, minutes: 120, kind: 'slow-service', service: 5, slowdown: 6 },
  {
    minute: 720,
    minutes: 8,
    kind: 'platform-outage',
    failureShare: 1,
    responseCode: 502,
    reported: 'platform-down',
  },
  { minute: 1_000, minutes: 60, kind: 'channel-silent', channel: 4, volume: 0 },
];

/**
 * The incidents that overlap `fromMs` to `toMs`, for a history that ends at `endMs`. Those before its end lie
 * at fixed ages; from its end on, the same ones come every day.
 */
export function listIncidents(endMs: number, fromMs: number, toMs: number): Incident[] {
  const isWithin = (each: Incident): boolean => each.fromMs < toMs && each.toMs > fromMs;
  return [...listRecent(endMs), ...listPlanned(endMs, fromMs), ...listLive(endMs, fromMs, toMs)].filter(
    isWithin,
  );
}

/** The incident that a request meets: the newest where several do. */
export function findIncident(
  incidents: readonly Incident[],
  atMs: number,
  channel: number,
  service: number,
): Incident | undefined {
  return incidents.find(
    (each) =>
      each.fromMs <= atMs &&
      atMs < each.toMs &&
      (each.channel === undefined || each.channel === channel) &&
      (each.service === undefined || each.service === service),
  );
}

function listRecent(endMs: number): Incident[] {
  return [
    ...RECENT.map((effect) => ({ ...effect, fromMs: endMs - RECENT_FROM_MS, toMs: endMs + RECENT_TO_MS })),
    ...TODAY.map((each) => ({ ...each, fromMs: endMs + each.fromMs, toMs: endMs + each.toMs })),
  ];
}

function listPlanned(endMs: number, fromMs: number): Incident[] {
  const lastDayMs = Math.floor(endMs / DAY_MS) * DAY_MS;
  const cycles = Math.max(1, Math.ceil((lastDayMs - fromMs) / (CYCLE_DAYS * DAY_MS)));
  return Array.from({ length: cycles }, (_, cycle) => cycle).flatMap((cycle) =>
    PROGRAMME.map(({ daysBefore, minute, minutes, ...effect }) => {
      const startMs = lastDayMs - (cycle * CYCLE_DAYS + daysBefore) * DAY_MS + minute * MINUTE_MS;
      return { ...effect, fromMs: startMs, toMs: startMs + minutes * MINUTE_MS };
    }),
  );
}

function listLive(endMs: number, fromMs: number, toMs: number): Incident[] {
  if (toMs <= endMs) return [];
  const first = Math.max(0, Math.floor((fromMs - endMs) / DAY_MS) - 1);
  const last = Math.floor((toMs - endMs) / DAY_MS);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).flatMap((day) =>
    LIVE.map(({ minute, minutes, ...effect }) => {
      const startMs = endMs + day * DAY_MS + minute * MINUTE_MS;
      return { ...effect, fromMs: startMs, toMs: startMs + minutes * MINUTE_MS };
    }),
  );
}

/** What the sample traffic goes through, by what an analyst would call it. */
type IncidentKind =
  | 'bad-gateway'
  | 'bad-release'
  | 'channel-silent'
  | 'connector-outage'
  | 'platform-outage'
  | 'rate-limiting'
  | 'refused-credentials'
  | 'silent-failure'
  | 'slow-leak'
  | 'slow-service'
  | 'timeouts'
  | 'volume-surge';

/** How an incident changes the traffic that it meets. */
interface IncidentEffect {
  readonly kind: IncidentKind;
  /** Without it, every channel is met. */
  readonly channel?: number;
  /** Without it, every service is met. */
  readonly service?: number;
  /** Share of requests that fail, 0 to 1; without it, as many as on any day. */
  readonly failureShare?: number;
  /** Code of those that fail. */
  readonly responseCode?: number;
  /** Response times are this many times the usual. */
  readonly slowdown?: number;
  /** True where they only get there at the end, growing from the usual. */
  readonly grows?: boolean;
  /** True where only what the platform sends fails, and what it receives succeeds. */
  readonly outboundOnly?: boolean;
  /** Requests are this many times the usual; 0 is none. */
  readonly volume?: number;
  /** Further requests by people who try again, in the history only. */
  readonly retries?: number;
  /** What the status operation says meanwhile; without it, that all is up. */
  readonly reported?: 'connector-down' | 'platform-down';
}
