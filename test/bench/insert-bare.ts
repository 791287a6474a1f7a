import Database from 'better-sqlite3';
import { MIGRATIONS } from '../../src-main/core/cache/file/migrations.ts';

const TABLES = ['inbound_records', 'inbound_texts'] as const;

/**
 * Inserts the inbound records of a cache into the same tables of a new file beside it, with better-sqlite3
 * alone and a transaction for each page. Returns the milliseconds of the inserts; reading is not counted.
 */
export function insertBare(file: string, pageSize: number): number {
  const source = new Database(file, { readonly: true });
  const target = new Database(`${file}.bare`);
  target.pragma('journal_mode = wal');
  target.pragma('synchronous = full');
  target.pragma('cache_size = -65536');
  for (const { sql } of MIGRATIONS) target.exec(sql);
  const tables = TABLES.map((table) => {
    const select = source
      .prepare(`SELECT * FROM ${table} WHERE record_id > ? ORDER BY record_id LIMIT ?`)
      .raw();
    const places = select.columns().map(() => '?');
    return { select, insert: target.prepare(`INSERT INTO ${table} VALUES (${places.join(', ')})`) };
  });
  const store = target.transaction((pages: unknown[][][]) => {
    for (const [place, rows] of pages.entries()) {
      for (const row of rows) tables[place]?.insert.run(...row);
    }
  });
  let ms = 0;
  for (let after = 0; ;) {
    const pages = tables.map(({ select }) => select.all(after, pageSize) as unknown[][]);
    const last = pages[0]?.at(-1);
    if (last === undefined) break;
    after = Number(last[0]);
    const startedMs = performance.now();
    store.immediate(pages);
    ms += performance.now() - startedMs;
  }
  source.close();
  target.close();
  return ms;
}
