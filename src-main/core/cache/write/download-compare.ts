import type { DetailRecord } from '../../../common/reporting/read-record.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { toExtra } from './insert-records.ts';
import { toRecordId, toTables } from '../read/record-tables.ts';

type Stored = readonly unknown[];

/**
 * Prepares the comparison of received records with those that lie in a snapshot from a place on. True when
 * every field of every record is the same, in the same order.
 */
export function prepareComparison(
  database: Database,
  direction: Direction,
): (snapshotId: number, firstSeq: number, records: readonly DetailRecord[]) => boolean {
  const { records: recordTable, texts } = toTables(direction);
  const isInbound = direction === 'inbound';
  const select = database
    .prepare<[number, number], Stored>(
      `SELECT r.date_text, r.session_id, r.channel, r.service, r.client, r.response_time_ms, r.response_code,
         r.error, r.origin, t.extra, t.payload, ${isInbound ? 'r.bot_latency_ms, NULL' : 'r.action_id, t.response'}
       FROM ${recordTable} AS r JOIN ${texts} AS t ON t.record_id = r.record_id
       WHERE r.record_id >= ? AND r.record_id < ? ORDER BY r.record_id`,
    )
    .raw();
  return (snapshotId, firstSeq, records) => {
    const from = toRecordId(snapshotId, firstSeq);
    let place = 0;
    for (const stored of select.iterate(from, from + records.length)) {
      const record = records[place];
      if (record === undefined || !isSame(stored, toColumns(record, isInbound))) return false;
      place += 1;
    }
    return place === records.length;
  };
}

function toColumns(record: DetailRecord, isInbound: boolean): Stored {
  return [
    ...[record.dateText, record.sessionId, record.channel, record.service, record.client],
    ...[record.responseTimeMs, record.responseCode, record.error, record.origin],
    ...[toExtra(record.extra), record.payload],
    ...(isInbound ? [record.botLatencyMs, null] : [record.actionId, record.response]),
  ];
}

function isSame(stored: Stored, received: Stored): boolean {
  return received.every((value, place) => {
    // A half character is written as a replacement character.
    const written = typeof value === 'string' ? value.toWellFormed() : value;
    return written === stored[place];
  });
}
