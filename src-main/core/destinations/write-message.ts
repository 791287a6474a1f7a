import { createHmac } from 'node:crypto';
import { toErrorInfo } from '../../common/contract/errors.ts';
import type { AlertLevel } from '../../common/model/alerts/alert-rule.ts';
import {
  DESTINATION_FIELDS,
  type DeliveredAlert,
  type DeliveredRecord,
  type Delivery,
  type DestinationDraft,
  type DestinationField,
  type DestinationKind,
  type DestinationContents,
} from '../../common/model/alerts/destination.ts';
import { toVisible } from '../../common/words/visible-text.ts';
import type { Words } from '../../common/words/words.ts';
import { rejectOnAbort } from '../calls/calls.ts';
import type { Logger } from '../logging/logger.ts';

const USUAL_TEXT = '{state}: {name}. {text}';

/** An alert with the newest requests that it is about, where a destination gets them. */
interface WrittenAlert extends DeliveredAlert {
  readonly records?: readonly DeliveredRecord[];
}

/** Returns what a message says: one line for each of its alerts, in the text of the destination, and for each request. */
export function writeText(
  words: Words,
  { text }: Pick<DestinationDraft, 'text'>,
  alerts: readonly WrittenAlert[],
): string {
  const template = text.trim() === '' ? USUAL_TEXT : text;
  return alerts
    .map((alert) => {
      const values: Readonly<Record<DestinationField, string>> = {
        state: words.t(`notes.states.${toState(alert)}`),
        name: alert.name,
        value: String(alert.value ?? ''),
        text: alert.text,
        connection: alert.connection,
        since: new Date(alert.sinceMs).toISOString(),
        at: new Date(alert.atMs).toISOString(),
      };
      // Once over the template only: a name in braces within a value is no field.
      const line = template.replace(/\{([a-z]+)\}/gu, (whole, name: string) => {
        const field = DESTINATION_FIELDS.find((own) => own === name);
        return field === undefined ? whole : values[field];
      });
      return [line, ...(alert.records ?? []).map((record) => writeRecord(words, record))].join('\n');
    })
    .join('\n');
}

/** One line: a text of a record may end none. */
function writeRecord({ t }: Words, { date, error, timeMs, ...record }: DeliveredRecord): string {
  const fields = (['channel', 'service', 'session', 'client', 'code'] as const)
    .filter((field) => record[field] !== null && record[field] !== '')
    .map((field) => t(`notes.record.${field}`, { value: String(record[field]) }));
  const time = timeMs === null ? [] : [t('notes.record.time', { value: String(timeMs) })];
  const said = error === '' ? '' : `: ${error}`;
  return `- ${toVisible(`${[date, ...fields, ...time].join(', ')}${said}`.replace(/\s+/gu, ' '))}`;
}

/** What it is now, in one word: with two thresholds, how bad it is. */
function toState({
  kind,
  level,
}: DeliveredAlert): Exclude<DeliveredAlert['kind'], 'raised' | 'lowered'> | AlertLevel {
  if (kind === 'raised' || kind === 'lowered') return level ?? 'fired';
  return kind === 'fired' ? (level ?? kind) : kind;
}

/** Returns the JSON that a kind of destination takes: a command the same as a webhook. */
export function writeBody(
  kind: Exclude<DestinationKind, 'email'>,
  { id, alerts }: Pick<Delivery, 'id'> & { readonly alerts: readonly WrittenAlert[] },
  text: string,
): string {
  if (kind === 'slack') return JSON.stringify({ text: escapeSlack(text) });
  if (kind === 'teams') return JSON.stringify(toCard(text));
  const events = alerts.map(({ sinceMs, atMs, ...alert }) => ({
    ...alert,
    since: new Date(sinceMs).toISOString(),
    at: new Date(atMs).toISOString(),
  }));
  return JSON.stringify({ version: 1, id, text, alerts: events });
}

/** Returns the headers of a message: its id, and with a key the signature of moment and body. */
export function writeHeaders(
  id: string,
  body: string,
  key: string | null,
  nowMs: number,
): Readonly<Record<string, string>> {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'idempotency-key': id,
    'x-channelscope-delivery': id,
  };
  if (key === null) return headers;
  const moment = Math.floor(nowMs / 1000);
  const digest = createHmac('sha256', key).update(`${moment}.${body}`).digest('hex');
  return { ...headers, 'x-channelscope-signature': `t=${moment},v1=${digest}` };
}

/** Nobody's name may call a whole channel, or be a link. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function toCard(text: string): object {
  const body = text.split('\n').map((line) => ({
    type: 'TextBlock',
    text: line.replace(/[[\]*_\\]/gu, '\\$&'),
    wrap: true,
  }));
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body,
        },
      },
    ],
  };
}

/** How long is waited for the records of a message, and for how many of its alerts they are read. */
const RECORDS_MS = 20_000;
const MAX_WITH_RECORDS = 10;
const EXAMPLE = 'example';

/** Reads the newest requests that an alert is about, as far as a destination may have them. */
export type ReadRecords = (
  alert: DeliveredAlert,
  contents: DestinationContents,
  signal: AbortSignal,
) => Promise<readonly DeliveredRecord[]>;

interface RecordParts {
  readonly readRecords: ReadRecords;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readWords(): Words;
}

/**
 * Adds records to the alerts of a message, where its destination gets any. What can't be read in time is left out: the
 * message is worth more. Rejects only when aborted.
 */
export async function addRecords(
  { readRecords, readWords, logger, signal: stopped }: RecordParts,
  { contents }: Pick<DestinationDraft, 'contents'>,
  alerts: readonly DeliveredAlert[],
): Promise<readonly WrittenAlert[]> {
  if (contents === undefined) return alerts;
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(RECORDS_MS)]);
  const read = async (alert: DeliveredAlert): Promise<readonly DeliveredRecord[]> => {
    if (alert.ruleId === EXAMPLE) return [toExampleRecord(readWords(), contents, alert.atMs)];
    try {
      return await rejectOnAbort(readRecords(alert, contents, signal), signal);
    } catch (error) {
      stopped.throwIfAborted();
      logger.warn('records of an alert not read', { code: toErrorInfo(error).code });
      return [];
    }
  };
  const written: WrittenAlert[] = [];
  for (const alert of alerts) {
    const isRead = written.length < MAX_WITH_RECORDS && !signal.aborted;
    written.push({ ...alert, records: isRead ? await read(alert) : [] });
  }
  return written;
}

/** An alert that never was, for a preview and a test. */
export function toExample({ t }: Words, nowMs: number, kind: 'fired' | 'test'): DeliveredAlert {
  return {
    id: EXAMPLE,
    ruleId: EXAMPLE,
    kind,
    sinceMs: nowMs,
    atMs: nowMs,
    name: t('notes.example.name'),
    text: t('notes.test'),
    connection: t('notes.example.connection'),
  };
}

function toExampleRecord({ t }: Words, { clients }: DestinationContents, atMs: number): DeliveredRecord {
  return {
    date: new Date(atMs).toISOString(),
    channel: 1,
    service: 2,
    session: '0f8fad5b-d9cb-469f-a165-70867728950e',
    client: clients === 'received' ? '4915550001' : 'client-3k9t2m7qx0ab',
    code: 503,
    timeMs: 1200,
    error: t('notes.example.error'),
  };
}
