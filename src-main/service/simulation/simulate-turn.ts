import type { Simulation } from '../../common/model/connections/simulation.ts';
import type { Conditions } from '../sample/conditions.ts';
import { drawTurn, type SampleSession, type SampleTurn } from '../sample/draw-turn.ts';
import type { Random } from '../sample/random.ts';

/** The code that the connector returns while the platform is down, and callers while the connector is. */
const PLATFORM_DOWN_CODE = 502;
const CONNECTOR_DOWN_CODE = 503;
const BURST_CODE = 500;
const BY_CHANNEL = -1;

/**
 * One turn of new traffic, whose usual conditions a simulation changes. With the platform down every request fails at the
 * connector and nothing is sent; with the connector down every request fails, and so does what the platform
 * still sends to channels, while no action runs.
 */
export function simulateTurn(
  random: Random,
  session: SampleSession,
  dateMs: number,
  { usual, simulation }: { readonly usual: Conditions; readonly simulation: Simulation },
): SampleTurn {
  const conditions = toConditions(session, usual, simulation);
  const turn = drawTurn(random, session, dateMs, conditions);
  if (simulation.platformDown) return { inbound: turn.inbound, outbound: [] };
  if (simulation.connectorDown) {
    const toChannels = turn.outbound.filter(({ actionId }) => actionId === BY_CHANNEL);
    return {
      inbound: turn.inbound,
      outbound: toChannels.map((record) => ({ ...record, responseCode: CONNECTOR_DOWN_CODE })),
    };
  }
  if (!isInBurst(session, simulation)) return turn;
  // Half of the share is drawn already; this adds the rest among what succeeded.
  const { failureShare } = conditions;
  const restShare = failureShare / (2 - failureShare);
  return {
    inbound: turn.inbound,
    outbound: turn.outbound.map((record) =>
      record.responseCode < 400 && random() < restShare ? { ...record, responseCode: BURST_CODE } : record,
    ),
  };
}

/** How many requests there are where `usual` are to be expected; it need not be a whole number. */
export function simulateRequests(random: Random, usual: number, { trafficFactor }: Simulation): number {
  return Math.floor(usual * trafficFactor + random());
}

function toConditions(session: SampleSession, usual: Conditions, simulation: Simulation): Conditions {
  const slowed = { ...usual, slowdown: usual.slowdown * simulation.latencyFactor };
  const down = { ...slowed, failureShare: 1, outboundFailureShare: null };
  if (simulation.platformDown) return { ...down, failureCode: PLATFORM_DOWN_CODE };
  if (simulation.connectorDown) return { ...down, failureCode: CONNECTOR_DOWN_CODE };
  const { errorBurst } = simulation;
  if (errorBurst === null || !isInBurst(session, simulation)) return slowed;
  return { ...slowed, failureShare: Math.max(usual.failureShare, errorBurst.share) };
}

function isInBurst({ channel, service }: SampleSession, { errorBurst }: Simulation): boolean {
  if (errorBurst === null) return false;
  const isChannel = errorBurst.channel === null || errorBurst.channel === channel;
  return isChannel && (errorBurst.service === null || errorBurst.service === service);
}
