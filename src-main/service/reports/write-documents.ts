import {
  toClientName,
  toErrorText,
  toInboundPayload,
  toOutboundPayload,
  toOutboundResponse,
  toSessionGuid,
} from '../sample/describe-records.ts';
import type { InboundRow, OutboundRow } from '../store/read-details.ts';
import type { GroupTotals } from '../store/group-sums.ts';
import type { TrafficGroup, TrafficGroups } from '../store/traffic-groups.ts';

/**
 * Documents as JSON text straight from rows, in the spelling and with the types of the specification.
 * Numbers and the service's own plain texts are written as they are; whatever could need escaping is quoted.
 */

/** Specification, section "Inbound health detail record". */
export function writeInboundDocument(row: InboundRow, groups: TrafficGroups, seed: number): string {
  const { channel, service, origin, responseCode } = groups.getGroup(row.groupId);
  const error = toErrorText(responseCode, channel, service, row.arrival);
  return (
    `{"Id":"${toSessionGuid(seed, row.session)}","Date":"${toWireInstant(row.dateMs)}"` +
    `,"Channel":${channel},"Service":${service},"Client":${quote(toClientName(seed, row.session))}` +
    `,"ReponseTime":${row.responseTimeUs / 1000},"ReponseCode":${responseCode},"Error":${quote(error)}` +
    `,"BotLatency":${row.botLatencyMs},"Payload":${quote(toInboundPayload(seed, row.session, row.arrival))}` +
    `,"Origin":${quote(origin)}}`
  );
}

/** Specification, section "Outbound health detail record". */
export function writeOutboundDocument(row: OutboundRow, groups: TrafficGroups, seed: number): string {
  const { channel, service, responseCode } = groups.getGroup(row.groupId);
  const error = toErrorText(responseCode, channel, service, row.arrival);
  const payload = toOutboundPayload(seed, row.session, row.arrival, row.actionId);
  return (
    `{"Id":"${toSessionGuid(seed, row.session)}","Date":"${toWireInstant(row.dateMs)}"` +
    `,"Channel":${channel},"Service":${service},"Client":${quote(toClientName(seed, row.session))}` +
    `,"ReponseTime":${row.responseTimeUs / 1000},"ReponseCode":${responseCode},"Error":${quote(error)}` +
    `,"ActionId":"${row.actionId}","Payload":${quote(payload)}` +
    `,"Reponse":${quote(toOutboundResponse(responseCode, error, row.arrival))}` +
    `,"Origin":${quote(groups.getOriginName(row.originId))}}`
  );
}

/** Specification, sections "Inbound health summary record" and "Outbound health summary record". */
export function writeSummaryDocument(totals: GroupTotals, group: TrafficGroup, sessionId: string): string {
  const common =
    `{"Id":${quote(sessionId)},"ReponseCode":${group.responseCode}` +
    `,"Channel":${group.channel},"Service":${group.service}`;
  const averageMs = totals.responseTimeUs / totals.records / 1000;
  const count = `,"Count":"${totals.records}","AvegareReponseTime":${averageMs}`;
  if (group.direction === 'outbound') return `${common}${count}}`;
  const latencyMs = Math.round(totals.botLatencyMs / totals.records);
  return `${common},"Origin":${quote(group.origin)}${count},"AvegareBotLatency":${latencyMs}}`;
}

/** ISO 8601 in UTC with milliseconds (decision 3). */
function toWireInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function quote(text: string): string {
  return JSON.stringify(text);
}
