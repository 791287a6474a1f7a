import Database from 'better-sqlite3';
import { applyMigration, MIGRATIONS } from '../../src-main/core/cache/file/schema.ts';

type Row = readonly unknown[];

/**
 * Inserts the inbound records and pages of a cache into the same tables of a new file beside it, with better-sqlite3
 * alone and a transaction for each page. Returns the milliseconds of the inserts; reading is not counted.
 */
export function insertBare(file: string): number {
  const source = new Database(file, { readonly: true });
  const target = new Database(`${file}.bare`);
  target.pragma('journal_mode = wal');
  target.pragma('synchronous = full');
  target.pragma('cache_size = -65536');
  for (const migration of MIGRATIONS) applyMigration(target, migration);
  const prepare = (table: string, condition: string) => {
    const select = source.prepare<number[], Row>(`SELECT * FROM ${table} WHERE ${condition}`).raw();
    const places = select.columns().map(() => '?');
    return { select, insert: target.prepare(`INSERT INTO ${table} VALUES (${places.join(', ')})`) };
  };
  const records = prepare('inbound_records', 'record_id >= ? AND record_id < ? ORDER BY record_id');
  const bodies = prepare('page_bodies', 'snapshot_id = ? AND page_number = ?');
  const store = target.transaction((rows: readonly Row[], body: readonly Row[]) => {
    for (const row of rows) records.insert.run(...row);
    for (const row of body) bodies.insert.run(...row);
  });
  // The pages' bodies refer to snapshots that this file does not have.
  target.pragma('foreign_keys = off');
  const pages = source
    .prepare<[], [number, number, number]>(
      `SELECT snapshot_id, page_number, snapshot_id * 4294967296 + first_seq FROM pages
       ORDER BY snapshot_id, page_number`,
    )
    .raw()
    .all();
  let ms = 0;
  for (const [place, [snapshotId, pageNumber, first]] of pages.entries()) {
    const next = pages[place + 1];
    const end = next?.[0] === snapshotId ? next[2] : (snapshotId + 1) * 2 ** 32;
    const rows = records.select.all(first, end);
    const body = bodies.select.all(snapshotId, pageNumber);
    const startedMs = performance.now();
    store.immediate(rows, body);
    ms += performance.now() - startedMs;
  }
  source.close();
  target.close();
  return ms;
}
