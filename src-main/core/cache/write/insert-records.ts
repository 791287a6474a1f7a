import type { Direction } from '../../../common/reporting/reports.ts';
import type { DetailRecord } from '../../../common/reporting/read-record.ts';
import type { Database } from '../../../node/open-database.ts';
import type { RowDigest } from './record-digest.ts';
import { PREVIEW_CHARACTERS, toRecordId, toTables } from '../read/record-tables.ts';

/** Below this length a payload is read itself for its beginning. */
const PREVIEW_FROM_CHARACTERS = 2000;

/** Prepares the writing of records; the answer writes them from a place in the snapshot on, and adds them to the digest. */
export function prepareInsert(
  database: Database,
  direction: Direction,
): (snapshotId: number, firstSeq: number, records: readonly DetailRecord[], digest: RowDigest) => void {
  const { records: recordTable, texts } = toTables(direction);
  const isInbound = direction === 'inbound';
  const insertRecord = database.prepare(
    `INSERT INTO ${recordTable} (record_id, date_text, date_ms, session_id, channel, service, client,
       response_time_ms, response_code, error, origin, ${isInbound ? 'bot_latency_ms' : 'action_id'})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertText = database.prepare(
    isInbound
      ? `INSERT INTO ${texts} (record_id, preview, extra, payload) VALUES (?, ?, ?, ?)`
      : `INSERT INTO ${texts} (record_id, preview, extra, payload, response) VALUES (?, ?, ?, ?, ?)`,
  );
  return (snapshotId, firstSeq, records, digest) => {
    let recordId = toRecordId(snapshotId, firstSeq);
    for (const record of records) {
      const fields = [
        record.dateText,
        record.dateMs,
        record.sessionId,
        record.channel,
        record.service,
        record.client,
        record.responseTimeMs,
        record.responseCode,
        record.error,
        record.origin,
        isInbound ? record.botLatencyMs : record.actionId,
      ];
      const long = [toPreview(record.payload), toExtra(record.extra), record.payload];
      if (!isInbound) long.push(record.response);
      insertRecord.run(recordId, fields);
      insertText.run(recordId, long);
      digest.add(fields.concat(long));
      recordId += 1;
    }
  };
}

function toPreview(payload: string): string | null {
  if (payload.length < PREVIEW_FROM_CHARACTERS) return null;
  return Array.from(payload.slice(0, PREVIEW_CHARACTERS * 2))
    .slice(0, PREVIEW_CHARACTERS)
    .join('');
}

/** Fields that the specification doesn't know, as JSON; null for none. */
export function toExtra(extra: Readonly<Record<string, unknown>>): string | null {
  for (const _name in extra) return JSON.stringify(extra);
  return null;
}
