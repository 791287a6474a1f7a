import { countContent } from '../../../common/reporting/field-values.ts';
import { toPayloadPreview } from './preview-payload.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES, toStoredDate } from '../read/record-tables.ts';
import { listTextValues, type RowDigest } from './record-digest.ts';

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
  const insert = database.prepare(
    `INSERT INTO ${table} (record_id, ${columns.map(({ column }) => column).join(', ')}, payload_preview, text_length)
     VALUES (?${', ?'.repeat(columns.length + 2)})`,
  );
  return (snapshotId, firstSeq, records, digest) => {
    let recordId = toRecordId(snapshotId, firstSeq);
    for (const record of records) {
      const values = names.map((name) => record[name]);
      digest.add(values, listTextValues(kind, record));
      values[dateAt] = toStoredDate(record.dateText, record.dateMs);
      insert.run(recordId, values, toPayloadPreview(record.payload), countContent(record));
      recordId += 1;
    }
  };
}
