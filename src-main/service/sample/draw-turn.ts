import type { NewInboundRecord, NewOutboundRecord } from '../store/record-store.ts';
import type { Conditions } from './traffic-slots.ts';
import { drawSpread, pickWeighted, type Random } from './random.ts';
import { CHANNEL_WEIGHTS, ORIGINS, SERVICE_TIMES_MS, SERVICE_WEIGHTS } from './vocabulary.ts';

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
