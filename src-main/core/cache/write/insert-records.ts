import { countContent } from '../../../common/reporting/field-values.ts';
import { toPayloadPreview } from './preview-payload.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES, toStoredDate } from '../read/record-tables.ts';
import { listTextValues, type RowDigest, type StoredValue } from './record-digest.ts';

/** Rows of one statement: calling the database costs as much as a row, and more of them save nothing further. */
const ROWS_AT_ONCE = 20;

/**
 * Prepares the writing of a report's records: from a place in the snapshot on, each added to the digest
 * as it is stored.
 */
export function prepareInsert(
  database: Database,
  kind: DetailKind,
): (snapshotId: number, firstSeq: number, records: readonly DetailRecord[], digest: RowDigest) => void {
  const { name: table, columns } = RECORD_TABLES[kind];
  const names = columns.map(({ name }) => name);
  const dateAt = names.indexOf('dateText');
  const row = `(?${', ?'.repeat(columns.length + 2)})`;
  const prepare = (rows: number) =>
    database.prepare<StoredValue[]>(
      `INSERT INTO ${table} (record_id, ${columns.map(({ column }) => column).join(', ')}, payload_preview, text_length)
       VALUES ${Array.from({ length: rows }, () => row).join(', ')}`,
    );
  const insertOne = prepare(1);
  const insertSeveral = prepare(ROWS_AT_ONCE);
  return (snapshotId, firstSeq, records, digest) => {
    const firstId = toRecordId(snapshotId, firstSeq);
    const severalEnd = records.length - (records.length % ROWS_AT_ONCE);
    let bound: StoredValue[] = [];
    for (const [place, record] of records.entries()) {
      const values: StoredValue[] = names.map((name) => record[name]);
      digest.add(values, listTextValues(kind, record));
      values[dateAt] = toStoredDate(record.dateText, record.dateMs);
      bound.push(firstId + place, ...values, toPayloadPreview(record.payload), countContent(record));
      // As arguments: values that are read from a list take a fifth longer.
      if (place >= severalEnd) insertOne.run(...bound);
      else if ((place + 1) % ROWS_AT_ONCE === 0) insertSeveral.run(...bound);
      else continue;
      bound = [];
    }
  };
}
