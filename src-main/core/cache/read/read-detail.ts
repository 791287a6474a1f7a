import { AppError } from '../../../common/contract/errors.ts';
import type { RecordDetail } from '../../../common/model/record.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import { CONTENT_NAMES } from '../../../common/reporting/field-values.ts';
import { DETAIL_KINDS, mapKinds } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { selectRows, TEXT_COLUMNS, toDetailKind, toRecordId } from './record-tables.ts';

/** Of a longer payload only the beginning leaves the thread. */
const MAX_PAYLOAD_CHARACTERS = 1_000_000;

/** A record as it lies in its tables. */
export type StoredRecord = Omit<RecordDetail, 'payloadLength' | 'extra'> & { readonly extra: string | null };

/** Prepares the reading of one whole record; throws AppError `cache.snapshot-not-found` where there is none. */
export function createDetailReader(database: Database): (snapshot: Snapshot, seq: number) => RecordDetail {
  const statements = mapKinds(DETAIL_KINDS, (kind) =>
    database.prepare<[number], StoredRecord>(`${selectRows(kind, TEXT_COLUMNS[kind])} WHERE r.record_id = ?`),
  );
  return (snapshot, seq) => {
    const row = statements[toDetailKind(snapshot.report)].get(toRecordId(snapshot.id, seq));
    if (row === undefined) {
      throw new AppError('cache.snapshot-not-found', 'The record is not in the cache.', {
        snapshotId: snapshot.id,
        seq,
      });
    }
    return toDetail(row, MAX_PAYLOAD_CHARACTERS);
  };
}

/** A whole record; its long texts are cut at a number of characters. */
export function toDetail(row: StoredRecord, limit: number): RecordDetail {
  const detail: RecordDetail = {
    ...row,
    payloadLength: row.payload.length,
    extra: row.extra === null ? {} : (JSON.parse(row.extra) as Record<string, unknown>),
  };
  for (const name of CONTENT_NAMES) {
    const text = detail[name];
    if (text !== null && text.length > limit) detail[name] = text.slice(0, limit);
  }
  return detail;
}
