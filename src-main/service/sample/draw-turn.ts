import { HOUR_MS } from '../../common/time/durations.ts';
import type { NewInboundRecord, NewOutboundRecord } from '../store/record-store.ts';
import { CHANNEL_WEIGHTS, ORIGINS, SERVICE_TIMES_MS, SERVICE_WEIGHTS } from './describe-records.ts';
import { findIncident, type Incident } from './incidents.ts';
import { drawSpread, pickWeighted, type Random } from './random.ts';

/** What the requests of one session have in common. */
export interface SampleSession {
  readonly session: number;
  readonly channel: number;
  readonly service: number;
  readonly origin: string;
}

/** A turn of a conversation: one inbound request and what the platform sent because of it. */
export interface SampleTurn {
  readonly inbound: NewInboundRecord;
  readonly outbound: readonly NewOutboundRecord[];
}

/** What the outbound requests of a turn come from. */
interface TurnSoFar {
  readonly session: SampleSession;
  readonly inbound: NewInboundRecord;
  readonly conditions: Conditions;
}

const EVERYDAY_CODES = [400, 401, 404, 408, 429, 500, 502, 503, 504] as const;
const EVERYDAY_WEIGHTS = [18, 6, 16, 5, 10, 20, 9, 6, 10] as const;
const TIMEOUT_MS = 10_000;

/** Begins a session on some channel and service, or on the given ones. */
export function drawSession(
  random: Random,
  session: number,
  place: Partial<Pick<SampleSession, 'channel' | 'service'>> = {},
): SampleSession {
  return {
    session,
    channel: place.channel ?? 1 + pickWeighted(random, CHANNEL_WEIGHTS),
    service: place.service ?? 1 + pickWeighted(random, SERVICE_WEIGHTS),
    origin: ORIGINS[pickWeighted(random, [46, 14, 22, 18])] ?? ORIGINS[0],
  };
}

/** Requests of a session: mostly a few, at most twelve. */
export function drawLength(random: Random): number {
  return 1 + Math.floor(random() * random() * 12);
}

/** Requests of a session on average. */
export const MEAN_LENGTH = 3.54;

/** One turn of a session at an instant; its outbound requests follow within the same second or so. */
export function drawTurn(
  random: Random,
  session: SampleSession,
  dateMs: number,
  conditions: Conditions,
): SampleTurn {
  const responseCode = drawResponseCode(random, conditions);
  const inbound = {
    ...session,
    dateMs,
    responseCode,
    responseTimeUs: drawTimeUs(random, session.service, responseCode, conditions.slowdown),
    botLatencyMs: Math.round(28 * drawSpread(random) * Math.sqrt(conditions.slowdown)),
  };
  const outbound: NewOutboundRecord[] = [];
  const requests = random() < 0.3 ? 2 : 1;
  for (let index = 0; index < requests; index += 1) {
    outbound.push(drawOutbound(random, { session, inbound, conditions }, index));
  }
  return { inbound, outbound };
}

function drawOutbound(
  random: Random,
  { session, inbound, conditions }: TurnSoFar,
  index: number,
): NewOutboundRecord {
  // A failed message mostly failed because of what was asked of a service.
  const cause = index === 0 && inbound.responseCode >= 500 && random() < 0.8;
  const responseCode = cause
    ? inbound.responseCode
    : drawResponseCode(random, {
        ...conditions,
        failureShare: conditions.outboundFailureShare ?? conditions.failureShare / 2,
      });
  const byChannel = random() < 0.42;
  return {
    ...session,
    dateMs: inbound.dateMs + Math.ceil(4 + random() * 180) * (index + 1),
    responseCode,
    responseTimeUs: drawTimeUs(random, session.service, responseCode, conditions.slowdown * 0.8),
    actionId: byChannel ? -1 : session.service * 100 + 1 + Math.floor(random() * 6),
  };
}

function drawResponseCode(random: Random, conditions: Conditions): number {
  if (random() >= conditions.failureShare) return random() < 0.03 ? 202 : 200;
  return conditions.failureCode ?? EVERYDAY_CODES[pickWeighted(random, EVERYDAY_WEIGHTS)] ?? 500;
}

function drawTimeUs(random: Random, service: number, responseCode: number, slowdown: number): number {
  const typicalMs = SERVICE_TIMES_MS[service - 1] ?? 100;
  const spread = drawSpread(random);
  if (responseCode === 504) return Math.round((TIMEOUT_MS + 40 * spread) * 1000);
  const share = responseCode === 503 || responseCode === 401 || responseCode === 429 ? 0.2 : 1;
  return Math.round(typicalMs * spread * share * slowdown * 1000);
}

/** What sessions are drawn by: five minutes each. */
export const SLOT_MS = 300_000;

/** Running sums of the weights of a stretch's slots. */
export function createSlotSums(startMs: number, lengthMs: number, incidents: readonly Incident[]): number[] {
  let sum = 0;
  return Array.from({ length: lengthMs / SLOT_MS }, (_, slot) => {
    const slotMs = startMs + slot * SLOT_MS;
    return (sum += weighTraffic(slotMs) * findLargestVolume(incidents, slotMs));
  });
}

/** The largest volume in a slot, of any channel; never below the usual. */
export function findLargestVolume(incidents: readonly Incident[], slotMs: number): number {
  const atOnce = (atMs: number): number => findVolume(incidents, atMs, null);
  return Math.max(1, atOnce(slotMs), atOnce(slotMs + SLOT_MS - 1));
}

/** Picks a slot by its weight. */
export function drawSlot(random: Random, slotSums: readonly number[]): number {
  const wanted = random() * (slotSums.at(-1) ?? 0);
  let low = 0;
  let high = slotSums.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slotSums[middle] ?? 0) > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Traffic by hour of a working day in UTC: a peak before and one after lunch, and nights that stay at a fifth
 * of it, as customers in other zones are awake then.
 */
const WORKING_HOURS = [
  24, 22, 20, 19, 20, 23, 31, 44, 64, 84, 97, 100, 89, 86, 95, 98, 91, 80, 67, 58, 49, 41, 34, 28,
] as const;
/** At the weekend people begin late and write in the evening. */
const WEEKEND_HOURS = [
  34, 29, 25, 22, 20, 20, 22, 27, 37, 52, 68, 80, 83, 78, 72, 70, 74, 81, 90, 94, 86, 70, 55, 43,
] as const;
const PEAK_WEIGHT = 100;

/** Sunday first. */
const WEEKDAY_WEIGHTS = [0.5, 1.08, 1.05, 1, 1.02, 0.96, 0.58] as const;

const WEEK_HOURS = 168;
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 4;

const WEEK = Array.from({ length: WEEK_HOURS }, (_, hour) => {
  const weekday = Math.floor(hour / 24);
  const hours = weekday === 0 || weekday === 6 ? WEEKEND_HOURS : WORKING_HOURS;
  return (hours[hour % 24] ?? 0) * (WEEKDAY_WEIGHTS[weekday] ?? 1);
});

/** Relative traffic at an instant by day of the week and hour, smooth between the hours. */
export function weighTraffic(epochMs: number): number {
  const hours = epochMs / HOUR_MS;
  const hour = Math.floor(hours);
  const here = WEEK[(hour + FIRST_WEEKDAY * 24) % WEEK_HOURS] ?? 0;
  const next = WEEK[(hour + 1 + FIRST_WEEKDAY * 24) % WEEK_HOURS] ?? 0;
  return here + (next - here) * (hours - hour);
}

/** Traffic at an instant as a share of an ordinary day's peak. */
export function toPeakShare(epochMs: number): number {
  return weighTraffic(epochMs) / PEAK_WEIGHT;
}

/** How a request fares. `failureCode` null means the everyday mixture of failures. */
export interface Conditions {
  readonly failureShare: number;
  /** Share of outbound requests that fail by themselves, 0 to 1; null for half of `failureShare`. */
  readonly outboundFailureShare: number | null;
  readonly failureCode: number | null;
  readonly slowdown: number;
}

/** Everyday conditions of a service: some fail a little more often than others. */
function toEverydayConditions(service: number): Conditions {
  const failureShare = 0.008 + (service % 4) * 0.006;
  return { failureShare, outboundFailureShare: null, failureCode: null, slowdown: 1 };
}

/** Conditions at an instant, given the incidents around it. */
export function findConditions(
  incidents: readonly Incident[],
  atMs: number,
  channel: number,
  service: number,
): Conditions {
  const everyday = toEverydayConditions(service);
  const incident = incidents.length === 0 ? undefined : findIncident(incidents, atMs, channel, service);
  if (incident === undefined) return everyday;
  const { failureShare, responseCode, slowdown = 1, grows = false, outboundOnly = false } = incident;
  const share = grows ? (atMs - incident.fromMs) / (incident.toMs - incident.fromMs) : 1;
  const atPresent = { ...everyday, slowdown: 1 + (slowdown - 1) * share };
  if (failureShare === undefined || responseCode === undefined) return atPresent;
  return {
    ...atPresent,
    failureShare: outboundOnly ? 0 : failureShare,
    outboundFailureShare: outboundOnly ? failureShare : null,
    failureCode: responseCode,
  };
}

/** How many times the usual requests a channel has at an instant; of every channel when it is null. */
export function findVolume(incidents: readonly Incident[], atMs: number, channel: number | null): number {
  return incidents.reduce((volume, each) => {
    const isMet = each.channel === undefined || each.channel === channel;
    return isMet && each.fromMs <= atMs && atMs < each.toMs ? volume * (each.volume ?? 1) : volume;
  }, 1);
}
