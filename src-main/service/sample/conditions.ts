import { findIncident, type Incident } from './incidents.ts';

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
