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
  source: DocumentSource,
  seed: number,
): (page: PageBuffer, row: InboundRow) => void {
  return (page, row) => {
    if (row.session >= 0) {
      writeInboundDocument(page, row, source.groups, seed);
      return;
    }
    const texts = source.imports.getInboundTexts(row.arrival);
    const document = {
      ...toSharedFields(row, source, texts),
      BotLatency: row.botLatencyMs,
      Payload: texts.payload,
      Origin: source.groups.getGroup(row.groupId).origin,
    };
    page.write(JSON.stringify(document));
  };
}

/** As `createInboundWriter`. */
export function createOutboundWriter(
  source: DocumentSource,
  seed: number,
): (page: PageBuffer, row: OutboundRow) => void {
  return (page, row) => {
    if (row.session >= 0) {
      writeOutboundDocument(page, row, source.groups, seed);
      return;
    }
    const texts = source.imports.getOutboundTexts(row.arrival);
    const document = {
      ...toSharedFields(row, source, texts),
      ActionId: texts.actionId,
      Payload: texts.payload,
      Reponse: texts.response,
      Origin: source.groups.getOriginName(row.originId),
    };
    page.write(JSON.stringify(document));
  };
}

/** The fields that documents of both directions begin with, in the order of the specification. */
function toSharedFields(
  row: InboundRow | OutboundRow,
  { groups, imports }: DocumentSource,
  { client, error }: { readonly client: string; readonly error: string },
) {
  const { channel, service, responseCode } = groups.getGroup(row.groupId);
  return {
    Id: imports.getSessionId(row.session),
    Date: new Date(row.dateMs).toISOString(),
    Channel: channel,
    Service: service,
    Client: client,
    ReponseTime: row.responseTimeUs / 1000,
    ReponseCode: responseCode,
    Error: error,
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
