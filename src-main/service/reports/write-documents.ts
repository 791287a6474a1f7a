import {
  toClientName,
  toErrorText,
  toInboundPayload,
  toOutboundPayload,
  toOutboundResponse,
  toSessionBits,
} from '../sample/describe-records.ts';
import type { InboundRow, OutboundRow } from '../store/read-details.ts';
import type { GroupTotals } from '../store/group-sums.ts';
import type { TrafficGroup, TrafficGroups } from '../store/traffic-groups.ts';
import type { PageBuffer } from './page-buffer.ts';

/**
 * Documents as JSON text straight from rows, in the spelling and with the types of the specification.
 * Numbers and the service's own plain texts are written as they are; whatever could need escaping is quoted.
 */

/** Specification, section "Inbound health detail record". */
export function writeInboundDocument(
  page: PageBuffer,
  row: InboundRow,
  groups: TrafficGroups,
  seed: number,
): void {
  const group = groups.getGroup(row.groupId);
  writeHead(page, row, group, seed);
  page.writeQuoted(toErrorText(group.responseCode, group.channel, group.service, row.arrival));
  page.write(',"BotLatency":');
  page.writeNumber(row.botLatencyMs);
  page.write(',"Payload":');
  page.writeQuoted(toInboundPayload(seed, row.session, row.arrival));
  page.write(',"Origin":');
  page.writeQuoted(group.origin);
  page.write('}');
}

/** Specification, section "Outbound health detail record". */
export function writeOutboundDocument(
  page: PageBuffer,
  row: OutboundRow,
  groups: TrafficGroups,
  seed: number,
): void {
  const group = groups.getGroup(row.groupId);
  const error = toErrorText(group.responseCode, group.channel, group.service, row.arrival);
  writeHead(page, row, group, seed);
  page.writeQuoted(error);
  page.write(',"ActionId":"');
  page.writeNumber(row.actionId);
  page.write('","Payload":');
  page.writeQuoted(toOutboundPayload(seed, row.session, row.arrival, row.actionId));
  page.write(',"Reponse":');
  page.writeQuoted(toOutboundResponse(group.responseCode, error, row.arrival));
  page.write(',"Origin":');
  page.writeQuoted(groups.getOriginName(row.originId));
  page.write('}');
}

/** Specification, sections "Inbound health summary record" and "Outbound health summary record". */
export function writeSummaryDocument(
  page: PageBuffer,
  totals: GroupTotals,
  group: TrafficGroup,
  writeSessionId: (page: PageBuffer, session: number) => void,
): void {
  page.write('{"Id":');
  writeSessionId(page, totals.newestSession);
  page.write(',"ReponseCode":');
  page.writeNumber(group.responseCode);
  writePlace(page, group);
  if (group.direction === 'inbound') {
    page.write(',"Origin":');
    page.writeQuoted(group.origin);
  }
  page.write(',"Count":"');
  page.writeNumber(totals.records);
  page.write('","AvegareReponseTime":');
  page.writeNumber(totals.responseTimeUs / totals.records / 1000);
  if (group.direction === 'inbound') {
    page.write(',"AvegareBotLatency":');
    page.writeNumber(Math.round(totals.botLatencyMs / totals.records));
  }
  page.write('}');
}

/** From the first field to the name of "Error", which detail records of both directions have alike. */
function writeHead(page: PageBuffer, row: InboundRow | OutboundRow, group: TrafficGroup, seed: number): void {
  page.write('{"Id":"');
  page.writeGuid(toSessionBits(seed, row.session));
  page.write('","Date":"');
  page.writeInstant(row.dateMs);
  page.write('"');
  writePlace(page, group);
  page.write(',"Client":');
  page.writeQuoted(toClientName(seed, row.session));
  page.write(',"ReponseTime":');
  page.writeMilliseconds(row.responseTimeUs);
  page.write(',"ReponseCode":');
  page.writeNumber(group.responseCode);
  page.write(',"Error":');
}

function writePlace(page: PageBuffer, group: TrafficGroup): void {
  page.write(',"Channel":');
  page.writeNumber(group.channel);
  page.write(',"Service":');
  page.writeNumber(group.service);
}
