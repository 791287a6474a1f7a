import type { Direction } from '../../common/reporting/reports.ts';
import type { RecordTexts, StoredRecord } from '../store/record-store.ts';
import { mixBits } from './random.ts';

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

/** What the sample traffic is made of. Changing a list changes the texts of existing sample records. */
export const ORIGINS = ['web', 'api', 'ios', 'android'] as const;
export const CHANNEL_WEIGHTS = [28, 22, 18, 14, 11, 7] as const;
export const SERVICE_WEIGHTS = [21, 17, 15, 13, 11, 9, 10, 4] as const;

/** Typical time of each service in milliseconds, service 1 first. */
export const SERVICE_TIMES_MS = [85, 140, 210, 95, 320, 180, 260, 60] as const;

const CLIENT_FIRST_NAMES = [
  'Alba',
  'Bruno',
  'Carmen',
  'Daniel',
  'Elena',
  'Farid',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Kira',
  'Liam',
  'Marta',
  'Noor',
  'Oscar',
  'Priya',
  'Quentin',
  'Rosa',
  'Samuel',
  'Tove',
] as const;

const CLIENT_LAST_NAMES = [
  'Andrade',
  'Becker',
  'Castillo',
  'Dubois',
  'Eriksen',
  'Fernandes',
  'Garcia',
  'Haddad',
  'Ivanova',
  'Jensen',
  'Kovacs',
  'Lopez',
  'Moretti',
  'Novak',
  'Okafor',
  'Petrov',
] as const;

const MESSAGES = [
  'Hello, I need help with my order',
  'Where is my parcel?',
  'I want to change my delivery address',
  'Can I speak to a person?',
  'What are your opening hours?',
  'My payment was declined',
  'I would like to cancel my booking',
  'Please send me the invoice again',
  'The link in the message does not open',
  'Thanks, that is all',
  'Yes',
  'No, the other one',
  'How long does the refund take?',
  'I forgot my password',
] as const;

const LOCALES = ['en-GB', 'en-US', 'es-ES', 'fr-FR', 'de-DE', 'pt-PT'] as const;

const ACTION_NAMES = [
  'find-customer',
  'read-order',
  'check-stock',
  'create-ticket',
  'send-notice',
  'read-balance',
] as const;

/** Error texts by response code; `{service}` and `{channel}` are filled in. */
const ERROR_TEXTS: Readonly<Record<number, readonly string[]>> = {
  400: ['Bad request: field "text" is empty', 'Bad request: attachment type is not supported'],
  401: ['Unauthorized: the key of channel {channel} was refused'],
  404: ['Not found: conversation has been closed', 'Not found: service {service} knows no such resource'],
  408: ['Request timeout: message was not read within 5000 ms'],
  422: ['Unprocessable message: template 4.2 of service {service} has no field "greeting"'],
  429: ['Too many requests: limit of service {service} reached, try again in 30 s'],
  500: [
    'Internal error in service {service}: object reference is not set',
    'Internal error: could not map the message of channel {channel}',
  ],
  502: [
    'Bad gateway: service {service} closed the connection',
    'Bad gateway: unreadable answer of service {service}',
  ],
  503: ['Service unavailable: connector is not reachable', 'Service unavailable: no free worker'],
  504: ['Gateway timeout: service {service} did not answer within 10000 ms'],
};
