import type { Simulation } from '../../common/model/simulation.ts';
import { toEverydayConditions, type Conditions } from '../sample/conditions.ts';
import { drawExchange, type Exchange, type SampleSession } from '../sample/draw-exchange.ts';
import type { Random } from '../sample/random.ts';

/** What the connector answers for a platform that is not there, and callers for a connector that is not. */
const PLATFORM_DOWN_CODE = 502;
const CONNECTOR_DOWN_CODE = 503;
const BURST_CODE = 500;
const BY_CHANNEL = -1;

/**
 * One exchange of new traffic under a simulation. With the platform down every request fails at the
 * connector and nothing is sent; with the connector down every request fails, and so does what the platform
 * still sends to channels, while no action runs.
 */
export function simulateExchange(
  random: Random,
  session: SampleSession,
  dateMs: number,
  simulation: Simulation,
): Exchange {
  const conditions = toConditions(session, simulation);
  const exchange = drawExchange(random, session, dateMs, conditions);
  if (simulation.platformDown) return { inbound: exchange.inbound, outbound: [] };
  if (simulation.connectorDown) {
    const toChannels = exchange.outbound.filter(({ actionId }) => actionId === BY_CHANNEL);
    return {
      inbound: exchange.inbound,
      outbound: toChannels.map((record) => ({ ...record, responseCode: CONNECTOR_DOWN_CODE })),
    };
  }
  if (!isInBurst(session, simulation)) return exchange;
  // Half of the share is drawn already; this makes it whole for what succeeded.
  const { failureShare } = conditions;
  const restShare = failureShare / (2 - failureShare);
  return {
    inbound: exchange.inbound,
    outbound: exchange.outbound.map((record) =>
      record.responseCode < 400 && random() < restShare ? { ...record, responseCode: BURST_CODE } : record,
    ),
  };
}

/** How many requests of `usual` new ones there are. */
export function simulateRequests(random: Random, usual: number, { trafficFactor }: Simulation): number {
  return Math.floor(usual * trafficFactor + random());
}

function toConditions(session: SampleSession, simulation: Simulation): Conditions {
  const everyday = toEverydayConditions(session.service);
  const slowdown = everyday.slowdown * simulation.latencyFactor;
  if (simulation.platformDown) return { failureShare: 1, failureCode: PLATFORM_DOWN_CODE, slowdown };
  if (simulation.connectorDown) return { failureShare: 1, failureCode: CONNECTOR_DOWN_CODE, slowdown };
  const { errorBurst } = simulation;
  const isHit = errorBurst !== null && isInBurst(session, simulation);
  return isHit
    ? { failureShare: Math.max(everyday.failureShare, errorBurst.share), failureCode: null, slowdown }
    : { ...everyday, slowdown };
}

function isInBurst({ channel, service }: SampleSession, { errorBurst }: Simulation): boolean {
  if (errorBurst === null) return false;
  const isChannel = errorBurst.channel === null || errorBurst.channel === channel;
  return isChannel && (errorBurst.service === null || errorBurst.service === service);
}
