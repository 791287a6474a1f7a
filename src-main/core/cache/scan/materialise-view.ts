import type { RecordFilter, RecordOrder } from '../../../common/model/record.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { toFilterSql } from './filter-sql.ts';
import { RECORD_ID_SPAN, RECORD_TABLES, SCAN_ROWS, toDetailKind, toRecordId } from '../read/record-tables.ts';
import { isRising, sortPlaces, type SortKey } from './sort-seqs.ts';

/** A view as an ordered list of rows; shared memory, so that threads see it without a copy. */
export interface RowList {
  readonly snapshotId: number;
  readonly report: DetailKind;
  readonly rowCount: number;
  /** Rows in rising order; null when the row at place n is simply n. */
  readonly seqs: Uint32Array | null;
  /** The list is read from its end. */
  readonly isReversed: boolean;
}

/** Where a search reads payloads, a statement scans fewer rows. */
const SEARCH_ROWS = 10_000;

/**
 * Works a view out once: scans the snapshot in bounded statements, pausing between them. Descending is
 * the exact reverse of ascending, ties included. Covers the rows that exist now.
 */
export async function materialiseView(
  database: Database,
  snapshot: Snapshot,
  filter: RecordFilter,
  order: RecordOrder,
  pause: () => Promise<void>,
): Promise<RowList> {
  const report = toDetailKind(snapshot.report);
  const sql = toFilterSql(filter, report);
  const column = findSortColumn(order, report);
  const list = { snapshotId: snapshot.id, report, isReversed: order.descending };
  if (sql === null && column === null) return { ...list, rowCount: snapshot.recordCount, seqs: null };

  const { records, texts } = RECORD_TABLES[report];
  const join = sql?.needsTexts === true ? `JOIN ${texts} AS t ON t.record_id = r.record_id` : '';
  const statement = database
    .prepare<(string | number)[], [number, string | number | null]>(
      `SELECT r.record_id, ${column ?? 'NULL'} FROM ${records} AS r ${join}
       WHERE r.record_id >= ? AND r.record_id < ? ${sql === null ? '' : `AND ${sql.condition}`}
       ORDER BY r.record_id`,
    )
    .raw();
  const seqs: number[] = [];
  const keys: SortKey[] = [];
  const step = sql?.needsTexts === true ? SEARCH_ROWS : SCAN_ROWS;
  for (let from = 0; from < snapshot.recordCount; from += step) {
    const until = Math.min(from + step, snapshot.recordCount);
    const range = [toRecordId(snapshot.id, from), toRecordId(snapshot.id, until)];
    for (const [recordId, key] of statement.all(...range, ...(sql?.values ?? []))) {
      seqs.push(recordId % RECORD_ID_SPAN);
      if (column !== null) keys.push(toSortKey(key, order));
    }
    await pause();
  }
  const isSorted = column === null || isRising(keys);
  if (isSorted && seqs.length === snapshot.recordCount) return { ...list, rowCount: seqs.length, seqs: null };
  return { ...list, rowCount: seqs.length, seqs: toShared(seqs, isSorted ? null : sortPlaces(keys)) };
}

/** Null for the order received; a column that the report doesn't have sorts nothing. */
function findSortColumn(order: RecordOrder, report: DetailKind): string | null {
  const stored = RECORD_TABLES[report].recordColumns.find(({ name }) => name === order.column);
  return stored === undefined ? null : `r.${stored.column}`;
}

function toSortKey(key: string | number | null, order: RecordOrder): SortKey {
  if (typeof key !== 'string') return key;
  // Action numbers are sent as text but are meant as numbers.
  if (order.column === 'actionId' && /^-?\d{1,15}$/.test(key)) return Number(key);
  return key.toLowerCase();
}

function toShared(seqs: readonly number[], places: Uint32Array | null): Uint32Array {
  const shared = new Uint32Array(new SharedArrayBuffer(seqs.length * 4));
  for (let index = 0; index < seqs.length; index += 1) {
    shared[index] = seqs[places === null ? index : (places[index] ?? 0)] ?? 0;
  }
  return shared;
}
