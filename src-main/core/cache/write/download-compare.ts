import type { DetailRecord } from '../../../common/reporting/read-record.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { toExtra } from './insert-records.ts';
import { RECORD_TABLES, toRecordId, type StoredColumn } from '../read/record-tables.ts';

type ComparedName = Exclude<keyof DetailRecord, 'dateMs'>;

/**
 * Prepares the comparison of received records with those that lie in a snapshot from a place on. True when
 * every field of every record is the same, in the same order. What is computed of a field is left out.
 */
export function prepareComparison(
  database: Database,
  kind: DetailKind,
): (snapshotId: number, firstSeq: number, records: readonly DetailRecord[]) => boolean {
  const { records: recordTable, recordColumns, texts, textColumns } = RECORD_TABLES[kind];
  const columns = [
    ...recordColumns.map(({ name, column }) => ({ name, column: `r.${column}` })),
    ...textColumns.map(({ name, column }) => ({ name, column: `t.${column}` })),
  ].filter(isCompared);
  const names = columns.map(({ name }) => name);
  const select = database
    .prepare<[number, number], readonly unknown[]>(
      `SELECT ${columns.map(({ column }) => column).join(', ')} FROM ${recordTable} AS r JOIN ${texts} AS t ON t.record_id = r.record_id
       WHERE r.record_id >= ? AND r.record_id < ? ORDER BY r.record_id`,
    )
    .raw();
  return (snapshotId, firstSeq, records) => {
    const from = toRecordId(snapshotId, firstSeq);
    let place = 0;
    for (const stored of select.iterate(from, from + records.length)) {
      const record = records[place];
      if (record === undefined || !isSame(stored, record, names)) return false;
      place += 1;
    }
    return place === records.length;
  };
}

function isCompared(column: StoredColumn<string>): column is StoredColumn<ComparedName> {
  return column.name !== 'dateMs' && column.name !== 'preview';
}

function isSame(stored: readonly unknown[], record: DetailRecord, names: readonly ComparedName[]): boolean {
  return names.every((name, place) => {
    const value = name === 'extra' ? toExtra(record.extra) : record[name];
    // A half character is written as a replacement character.
    const written = typeof value === 'string' ? value.toWellFormed() : value;
    return written === stored[place];
  });
}
