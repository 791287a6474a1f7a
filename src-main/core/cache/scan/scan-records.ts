import type { Snapshot } from '../../../common/model/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES, SCAN_ROWS, toDetailKind, toRecordId } from '../read/record-tables.ts';

/**
 * Visits some columns of the records from `fromSeq` on, in the order received, in bounded statements with
 * a pause between them. `columns` are fixed texts of this folder, never input.
 */
export async function scanRecords(
  database: Database,
  snapshot: Snapshot,
  columns: string,
  pause: () => Promise<void>,
  visit: (...row: never[]) => void,
  fromSeq = 0,
): Promise<void> {
  const { records } = RECORD_TABLES[toDetailKind(snapshot.report)];
  const statement = database
    .prepare<[number, number], unknown[]>(
      `SELECT ${columns} FROM ${records} WHERE record_id >= ? AND record_id < ? ORDER BY record_id`,
    )
    .raw();
  for (let from = fromSeq; from < snapshot.recordCount; from += SCAN_ROWS) {
    const until = Math.min(from + SCAN_ROWS, snapshot.recordCount);
    for (const row of statement.all(toRecordId(snapshot.id, from), toRecordId(snapshot.id, until))) {
      visit(...(row as never[]));
    }
    await pause();
  }
}
