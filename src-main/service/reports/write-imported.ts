import { toSessionBits } from '../sample/describe-records.ts';
import type { InboundRow, OutboundRow } from '../store/read-details.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { PageBuffer } from './page-buffer.ts';
import { writeInboundDocument, writeOutboundDocument } from './write-documents.ts';

type DocumentSource = Pick<RecordStore, 'groups' | 'imports'>;

/**
 * Writes documents of sample and of imported records. Sessions of imported records are numbered below 0;
 * their texts are in the store and could need escaping, all of them.
 */
export function createInboundWriter(
  { groups, imports }: DocumentSource,
  seed: number,
): (page: PageBuffer, row: InboundRow) => void {
  return (page, row) => {
    if (row.session >= 0) {
      writeInboundDocument(page, row, groups, seed);
      return;
    }
    const { channel, service, origin, responseCode } = groups.getGroup(row.groupId);
    const { client, error, payload } = imports.getInboundTexts(row.arrival);
    const document = {
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
    };
    page.write(JSON.stringify(document));
  };
}

/** As `createInboundWriter`. */
export function createOutboundWriter(
  { groups, imports }: DocumentSource,
  seed: number,
): (page: PageBuffer, row: OutboundRow) => void {
  return (page, row) => {
    if (row.session >= 0) {
      writeOutboundDocument(page, row, groups, seed);
      return;
    }
    const { channel, service, responseCode } = groups.getGroup(row.groupId);
    const { client, error, actionId, payload, response } = imports.getOutboundTexts(row.arrival);
    const document = {
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
    };
    page.write(JSON.stringify(document));
  };
}

/** Writes the identifier of a session, imported or of the sample. */
export function createSessionWriter(
  { imports }: Pick<RecordStore, 'imports'>,
  seed: number,
): (page: PageBuffer, session: number) => void {
  return (page, session) => {
    if (session < 0) {
      page.writeQuoted(imports.getSessionId(session));
      return;
    }
    page.write('"');
    page.writeGuid(toSessionBits(seed, session));
    page.write('"');
  };
}
