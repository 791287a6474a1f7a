import { AppError } from '../../../common/contract/errors.ts';
import type { RecordDetail } from '../../../common/model/record.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';
import { selectRows, toDirection, toRecordId, toRow, type StoredRow } from './record-tables.ts';

/** The most of a payload that leaves the thread. */
const PAYLOAD_CHARACTERS = 1_000_000;

export interface DetailRow extends StoredRow {
  readonly payload: string;
  readonly response: string | null;
  readonly extra: string | null;
}

/** What a statement reads besides a row for `toDetail`. */
export const DETAIL_COLUMNS = {
  inbound: ', t.payload, NULL AS response, t.extra',
  outbound: ', t.payload, t.response, t.extra',
} as const;

/** Prepares the reading of one whole record; throws AppError `cache.snapshot-not-found` where there is none. */
export function createDetailReader(database: Database): (snapshot: Snapshot, seq: number) => RecordDetail {
  const prepare = (direction: keyof typeof DETAIL_COLUMNS) =>
    database.prepare<[number], DetailRow>(
      `${selectRows(direction, DETAIL_COLUMNS[direction])} WHERE r.record_id = ?`,
    );
  const statements = { inbound: prepare('inbound'), outbound: prepare('outbound') };
  return (snapshot, seq) => {
    const row = statements[toDirection(snapshot.report)].get(toRecordId(snapshot.id, seq));
    if (row === undefined) {
      throw new AppError('cache.snapshot-not-found', 'The record is not in the cache.', {
        snapshotId: snapshot.id,
        seq,
      });
    }
    return toDetail(row, PAYLOAD_CHARACTERS);
  };
}

/** A whole record; payload and response are cut at a number of characters. */
export function toDetail(row: DetailRow, limit: number): RecordDetail {
  return {
    ...toRow(row),
    payload: row.payload.slice(0, limit),
    payloadLength: row.payload.length,
    response: row.response === null ? null : row.response.slice(0, limit),
    extra: row.extra === null ? {} : (JSON.parse(row.extra) as Record<string, unknown>),
  };
}
