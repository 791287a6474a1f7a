import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES, selectValues } from '../read/record-tables.ts';
import type { StoredPages } from '../read/stored-pages.ts';
import { listTextValues } from './record-digest.ts';

/**
 * Prepares the comparison of received records with those that lie in a snapshot from a place on. True when
 * every field of every record is the same, in the same order. What is computed of a field is left out.
 */
export function prepareComparison(
  database: Database,
  pages: StoredPages,
  kind: DetailKind,
): (snapshot: Snapshot, firstSeq: number, records: readonly DetailRecord[]) => boolean {
  const names = RECORD_TABLES[kind].columns.map(({ name }) => name);
  const select = database
    .prepare<[number, number], readonly unknown[]>(
      `${selectValues(kind)} WHERE r.record_id >= ? AND r.record_id < ? ORDER BY r.record_id`,
    )
    .raw();
  const isSame = (stored: readonly unknown[], record: DetailRecord): boolean =>
    names.every((name, place) => {
      const value = record[name];
      // A half character is written as a replacement character.
      const written = typeof value === 'string' ? value.toWellFormed() : value;
      return name === 'dateMs' || written === stored[place];
    });
  return ({ id }, firstSeq, records) => {
    const from = toRecordId(id, firstSeq);
    let place = 0;
    for (const stored of select.iterate(from, from + records.length)) {
      const record = records[place];
      if (record === undefined || !isSame(stored, record)) return false;
      place += 1;
    }
    if (place !== records.length) return false;
    // Pages are opened only where all else is the same, which is rare.
    const texts = pages.readTextsOf(records.map((_record, index) => from + index));
    return records.every((record, index) => {
      const known = texts[index] ?? record;
      const values = listTextValues(kind, known);
      return listTextValues(kind, record).every((value, at) => value === values[at]);
    });
  };
}
