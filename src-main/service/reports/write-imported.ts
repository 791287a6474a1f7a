import { toSessionGuid } from '../sample/describe-records.ts';
import type { InboundRow, OutboundRow } from '../store/read-details.ts';
import type { RecordStore } from '../store/record-store.ts';
import { writeInboundDocument, writeOutboundDocument } from './write-documents.ts';

type DocumentSource = Pick<RecordStore, 'groups' | 'imports'>;

/**
 * Writes documents of sample and of imported records. Sessions of imported records are numbered below 0;
 * their texts are in the store and could need escaping, all of them.
 */
export function createInboundWriter(
  { groups, imports }: DocumentSource,
  seed: number,
): (row: InboundRow) => string {
  return (row) => {
    if (row.session >= 0) return writeInboundDocument(row, groups, seed);
    const { channel, service, origin, responseCode } = groups.getGroup(row.groupId);
    const { client, error, payload } = imports.getInboundTexts(row.arrival);
    return JSON.stringify({
      Id: imports.getSessionId(row.session),
      Date: new Date(row.dateMs).toISOString(),
      Channel: channel,
      Service: service,
      Client: client,
      ReponseTime: row.responseTimeUs / 1000,
      ReponseCode: responseCode,
      Error: error,
      BotLatency: row.botLatencyMs,
      Payload: payload,
      Origin: origin,
    });
  };
}

/** As `createInboundWriter`. */
export function createOutboundWriter(
  { groups, imports }: DocumentSource,
  seed: number,
): (row: OutboundRow) => string {
  return (row) => {
    if (row.session >= 0) return writeOutboundDocument(row, groups, seed);
    const { channel, service, responseCode } = groups.getGroup(row.groupId);
    const { client, error, actionId, payload, response } = imports.getOutboundTexts(row.arrival);
    return JSON.stringify({
      Id: imports.getSessionId(row.session),
      Date: new Date(row.dateMs).toISOString(),
      Channel: channel,
      Service: service,
      Client: client,
      ReponseTime: row.responseTimeUs / 1000,
      ReponseCode: responseCode,
      Error: error,
      ActionId: actionId,
      Payload: payload,
      Reponse: response,
      Origin: groups.getOriginName(row.originId),
    });
  };
}

/** Identifier of a session, imported or of the sample. */
export function toSessionId(
  { imports }: Pick<RecordStore, 'imports'>,
  seed: number,
  session: number,
): string {
  return session < 0 ? imports.getSessionId(session) : toSessionGuid(seed, session);
}
