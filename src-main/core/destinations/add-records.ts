import { toErrorInfo } from '../../common/contract/errors.ts';
import type {
  DeliveredAlert,
  DeliveredRecord,
  DestinationContents,
  DestinationDraft,
} from '../../common/model/alerts/destination.ts';
import type { Words } from '../../common/words/words.ts';
import { rejectOnAbort } from '../calls/reject-on-abort.ts';
import type { Logger } from '../logging/logger.ts';
import type { WrittenAlert } from './write-message.ts';

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
