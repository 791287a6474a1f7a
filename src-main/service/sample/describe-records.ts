import type { Direction } from '../../common/reporting/reports.ts';
import type { RecordTexts, StoredRecord } from '../store/record-store.ts';
import { mixBits } from './random.ts';
import {
  ACTION_NAMES,
  CLIENT_FIRST_NAMES,
  CLIENT_LAST_NAMES,
  ERROR_TEXTS,
  LOCALES,
  MESSAGES,
} from './vocabulary.ts';

/**
 * Texts of sample records. They are derived from the numbers of the record when it is read, always the
 * same, so a record takes some thirty bytes in the store and a million of them are written in seconds.
 */

const SESSION_LANES = 0x5e55;

/** The GUID of a session (version 4 form) as four numbers of 32 bits. */
export function toSessionBits(seed: number, session: number): [number, number, number, number] {
  const mixLane = (lane: number): number => mixBits(seed, session, lane, SESSION_LANES);
  const variant = 8 + (mixBits(session, seed) & 3);
  return [
    mixLane(1),
    ((mixLane(2) & 0xffff0fff) | 0x4000) >>> 0,
    ((mixLane(3) & 0x0fffffff) | (variant << 28)) >>> 0,
    mixLane(4),
  ];
}

/** The GUID of a session as text. */
export function toSessionId(seed: number, session: number): string {
  const hex = toSessionBits(seed, session).map((bits) => bits.toString(16).padStart(8, '0'));
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Name of the user who generated a session. */
function toClientName(seed: number, session: number): string {
  const bits = mixBits(seed, session, 0xc11e);
  return `${pick(CLIENT_FIRST_NAMES, bits)} ${pick(CLIENT_LAST_NAMES, bits >>> 8)}`;
}

/** Empty for a request that succeeded. */
function toErrorText(responseCode: number, channel: number, service: number, arrival: number): string {
  const texts = ERROR_TEXTS[responseCode];
  if (texts === undefined) return '';
  return pick(texts, mixBits(arrival, responseCode))
    .replace('{service}', String(service))
    .replace('{channel}', String(channel));
}

/** The message that the connector received, as JSON text. */
function toInboundPayload(seed: number, session: number, arrival: number): string {
  const bits = mixBits(seed, session, arrival, 0x1b);
  return JSON.stringify({
    type: 'message',
    messageId: `m-${arrival.toString(36)}-${(bits & 0xffff).toString(16)}`,
    locale: pick(LOCALES, mixBits(seed, session)),
    text: pick(MESSAGES, bits),
    attachments: (bits & 31) === 0 ? [{ kind: 'image', bytes: 20_000 + (bits % 900_000) }] : [],
  });
}

/** What the platform sent, as JSON text: to a channel (action -1) or on behalf of an action. */
function toOutboundPayload(seed: number, session: number, arrival: number, actionId: number): string {
  const bits = mixBits(seed, session, arrival, 0x0b);
  if (actionId === -1) {
    return JSON.stringify({ type: 'reply', text: pick(MESSAGES, bits), buttons: bits % 4 });
  }
  return JSON.stringify({
    action: actionId,
    name: pick(ACTION_NAMES, actionId),
    parameters: { customer: 10_000 + (mixBits(seed, session) % 90_000), reference: `R${bits % 1_000_000}` },
  });
}

/** What the queried service responded, as JSON text. */
function toOutboundResponse(responseCode: number, error: string, arrival: number): string {
  return responseCode < 400
    ? JSON.stringify({ status: 'ok', reference: mixBits(arrival).toString(36) })
    : JSON.stringify({ status: 'error', code: responseCode, message: error });
}

/** The texts of a sample record. */
export function describeSample(
  seed: number,
  direction: Direction,
  record: StoredRecord,
): Omit<RecordTexts, 'sessionId'> {
  const { session, arrival, actionId, channel, service } = record;
  const responseCode = record.responseCode ?? 0;
  const isInbound = direction === 'inbound';
  const error = toErrorText(responseCode, channel, service, arrival);
  return {
    client: toClientName(seed, session),
    error,
    actionId: isInbound ? '' : String(actionId),
    payload: isInbound
      ? toInboundPayload(seed, session, arrival)
      : toOutboundPayload(seed, session, arrival, actionId),
    response: isInbound ? '' : toOutboundResponse(responseCode, error, arrival),
  };
}

function pick(list: readonly string[], bits: number): string {
  return list[bits % list.length] ?? '';
}
