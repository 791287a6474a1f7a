import type { CacheState } from '../../../common/model/cache/snapshot.ts';
import { toRecordId } from '../../../common/model/records/record.ts';
import { isDetailKind, type ReportKind } from '../../../common/reporting/reports.ts';
import { SECOND_MS } from '../../../common/time/durations.ts';
import { findErrorCode } from '../../../node/error-text.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import { createStoredPages, preparePageDigest } from '../read/stored-pages.ts';
import { prepareSliceWrites } from '../write/slice-writes.ts';
import { openDamaged, removeReadableCopy } from './open-damaged.ts';
import { isDamage, isDamagedPage, readPragma, toCacheError } from './open-database.ts';

type InsertRow = ReturnType<typeof createRowInserter>;
type Salvage = NonNullable<CacheState['salvaged']>;

interface DamagedSnapshot extends AnyRow {
  readonly snapshot_id: number;
  readonly report: ReportKind;
  readonly state: string;
  readonly page_count: number;
  readonly settled_to_ms: number | null;
  readonly refresh_of: number | null;
  readonly fetched_order: number;
}
interface DamagedPage extends AnyRow {
  readonly page_number: number;
  readonly first_seq: number;
  readonly record_count: number;
  readonly size_bytes: number;
  readonly records_sha256: string | null;
}

/** The damaged file, which is only read, and the one that what is whole goes into. */
interface SalvagedFiles {
  readonly source: Database;
  readonly target: Database;
  readonly insertRow: InsertRow;
}

/** Where a page comes to lie in its snapshot. */
interface PagePlace {
  readonly pageNumber: number;
  readonly firstSeq: number;
}

/** Hides a snapshot that is being brought over; the next start deletes one that a crash left so. */
export const BEING_SALVAGED = 3;
/** Samples of one run. */
const MAX_RUN_SAMPLES = 200;
/** More rows than a page of the file has room for. */
const MAX_ROWS_EACH_PAGE = 100;

/** Thrown inside a page's transaction so that nothing of the page stays. */
class PageLost extends Error {}

/**
 * Brings over from a damaged file what is whole: of each snapshot every page whose stored rows are still those of its
 * checksum, one behind the other, and the status samples that can be read. A snapshot that loses pages becomes
 * incomplete, with a remark. The damaged file is only read. Returns null for a file of another schema.
 */
export async function salvage(
  target: Database,
  damagedFile: string,
  pause: () => Promise<void>,
): Promise<Salvage | null> {
  const source = openDamaged(damagedFile, { hasMendedTrees: true });
  if (source === null) return null;
  try {
    return await bringOver(source, target, pause);
  } finally {
    source.close();
    removeReadableCopy(damagedFile);
  }
}

async function bringOver(source: Database, target: Database, pause: () => Promise<void>): Promise<Salvage> {
  const total = { snapshots: 0, records: 0, lostPages: 0 };
  const snapshots = readSnapshots(source);
  const files: SalvagedFiles = { source, target, insertRow: createRowInserter(target) };
  const { insertRow } = files;
  const copyPage = preparePageCopy(files);
  const findCopied = target.prepare<number, { pages: number; records: number }>(
    'SELECT page_count AS pages, record_count AS records FROM snapshots WHERE snapshot_id = ?',
  );
  for (const snapshot of snapshots) {
    const { snapshot_id: id, page_count: pageCount } = snapshot;
    // It came over before this was cut short, and may have grown since.
    const copied = findCopied.get(id);
    if (copied !== undefined) {
      total.snapshots += 1;
      total.records += copied.records;
      total.lostPages += Math.max(0, pageCount - copied.pages);
      continue;
    }
    if (
      !tryToInsert(() =>
        insertRow('snapshots', { ...snapshot, is_removed: BEING_SALVAGED, refresh_of: null }),
      )
    )
      continue;
    const whole: DamagedPage[] = [];
    let records = 0;
    for (const page of listPages(source, snapshot)) {
      if (!copyPage(snapshot, page, { pageNumber: whole.length, firstSeq: records })) continue;
      whole.push(page);
      records += page.record_count;
      await pause();
    }
    finishSnapshot(files, snapshot, whole);
    total.snapshots += 1;
    total.records += records;
    total.lostPages += Math.max(0, pageCount - whole.length);
  }
  const link = target.prepare(
    `UPDATE snapshots SET refresh_of = @refreshOf
     WHERE snapshot_id = @id AND EXISTS (SELECT 1 FROM snapshots WHERE snapshot_id = @refreshOf)`,
  );
  for (const { snapshot_id: id, refresh_of: refreshOf } of snapshots) link.run({ id, refreshOf });
  copyKept(files, 'record_marks');
  copyKept(files, 'error_patterns');
  await copySamples(files, pause);
  return total;
}

/** Where damage hides some snapshots, the others are found by their ids, which an index has too. */
function readSnapshots(source: Database): DamagedSnapshot[] {
  const all = readRows(source, 'SELECT * FROM snapshots WHERE is_removed = 0');
  if (all !== null) return all as DamagedSnapshot[];
  const indexed = readRows(
    source,
    'SELECT snapshot_id AS id FROM snapshots INDEXED BY snapshots_by_fetching',
  );
  const [last] = readRows(source, "SELECT seq AS id FROM sqlite_sequence WHERE name = 'snapshots'") ?? [];
  const ids = indexed?.map(({ id }) => Number(id)) ?? listNumbers(1, toNumber(last?.['id'], source) + 1);
  const found = ids.flatMap(
    (id) => readRows(source, 'SELECT * FROM snapshots WHERE snapshot_id = ? AND is_removed = 0', id) ?? [],
  );
  return found as DamagedSnapshot[];
}

/** What a cache that takes the place of a damaged one must not use again: the ids in it, and places in the order of fetching. */
export function readUsedNumbers(source: Database): { readonly lastId: number; readonly lastOrder: number } {
  const [last] = readRows(source, "SELECT seq AS id FROM sqlite_sequence WHERE name = 'snapshots'") ?? [];
  const snapshots = readSnapshots(source);
  return {
    lastId: Math.max(Number(last?.['id'] ?? 0), ...snapshots.map((each) => each.snapshot_id)),
    lastOrder: Math.max(0, ...snapshots.map((each) => each.fetched_order)),
  };
}

/** Where damage hides some rows of the journal, the others are found by their numbers. */
function listPages(
  source: Database,
  { snapshot_id: id, page_count: pageCount }: DamagedSnapshot,
): DamagedPage[] {
  const all = readRows(source, 'SELECT * FROM pages WHERE snapshot_id = ? ORDER BY page_number', id);
  if (all !== null) return all as DamagedPage[];
  const found = listNumbers(0, toNumber(pageCount, source)).flatMap(
    (place) =>
      readRows(source, 'SELECT * FROM pages WHERE snapshot_id = ? AND page_number = ?', id, place) ?? [],
  );
  return found as DamagedPage[];
}

/** A count that was read of a damaged file: no more than rows have room in it. */
function toNumber(found: unknown, source: Database): number {
  const most = readPragma(source, 'page_count') * MAX_ROWS_EACH_PAGE;
  return typeof found === 'number' && found >= 0 ? Math.min(found, most) : 0;
}

function listNumbers(from: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - from) }, (_none, place) => from + place);
}

/** False for a row that breaks a rule of the schema. */
function tryToInsert(insert: () => void): boolean {
  try {
    insert();
    return true;
  } catch (error) {
    if (isConstraint(error)) return false;
    throw error;
  }
}

/** Copies one page to its place in one transaction; false, and nothing copied, when it is not whole. */
function preparePageCopy({
  source,
  target,
  insertRow,
}: SalvagedFiles): (snapshot: DamagedSnapshot, page: DamagedPage, place: PagePlace) => boolean {
  const digest = preparePageDigest(target, createStoredPages(target));
  const copyAll = target.transaction((snapshot: DamagedSnapshot, page: DamagedPage, place: PagePlace) => {
    const { snapshot_id: id, report } = snapshot;
    const { page_number: foundNumber, first_seq: foundSeq, record_count: recordCount } = page;
    const { pageNumber, firstSeq } = place;
    const [from, end] = [foundSeq, foundSeq + recordCount];
    const copy = (
      table: string,
      toMoved: (row: AnyRow) => AnyRow,
      where: string,
      ...values: number[]
    ): number => {
      const rows = readRows(source, `SELECT * FROM ${table} WHERE ${where}`, ...values);
      if (rows === null) throw new PageLost();
      for (const row of rows) insertRow(table, toMoved(row));
      return rows.length;
    };
    const moveBy = (column: string) => (row: AnyRow) => ({
      ...row,
      [column]: Number(row[column]) - foundSeq + firstSeq,
    });
    const renumber = (row: AnyRow): AnyRow => ({ ...row, page_number: pageNumber });
    insertRow('pages', { ...page, page_number: pageNumber, first_seq: firstSeq, is_damaged: 0 });
    copy('set_aside', renumber, 'snapshot_id = ? AND page_number = ?', id, foundNumber);
    if (copy('page_bodies', renumber, 'snapshot_id = ? AND page_number = ?', id, foundNumber) !== 1)
      throw new PageLost();
    const copied = isDetailKind(report)
      ? copy(
          RECORD_TABLES[report].name,
          moveBy('record_id'),
          'record_id >= ? AND record_id < ?',
          toRecordId(id, from),
          toRecordId(id, end),
        )
      : copy('summary_groups', moveBy('seq'), 'snapshot_id = ? AND seq >= ? AND seq < ?', id, from, end);
    if (copied !== recordCount) throw new PageLost();
    const sha256 = digest({ id, report }, { pageNumber, firstSeq, recordCount });
    // Pages from before there were checksums are taken when none of their rows is missing.
    if (sha256 !== (page.records_sha256 ?? sha256)) throw new PageLost();
  });
  return (snapshot, page, place) => {
    try {
      copyAll.immediate(snapshot, page, place);
      return true;
    } catch (error) {
      if (error instanceof PageLost || isDamagedPage(error) || isConstraint(error)) return false;
      throw error;
    }
  };
}

/** Counters, remarks and the download follow what came over; then the snapshot is shown. */
function finishSnapshot(
  { source, target, insertRow }: SalvagedFiles,
  snapshot: DamagedSnapshot,
  whole: readonly DamagedPage[],
): void {
  const { snapshot_id: id, page_count: pageCount, settled_to_ms: settledToMs, state } = snapshot;
  const finish = target.transaction(() => {
    const slices = readRows(source, 'SELECT * FROM slices WHERE snapshot_id = ?', id) ?? [];
    const isWhole = whole.length === pageCount && (slices.length > 0 || pageCount === 0);
    for (const row of slices) insertRow('slices', row);
    for (const table of ['remarks', 'downloads']) {
      if (table === 'downloads' && !isWhole) continue;
      for (const row of readRows(source, `SELECT * FROM ${table} WHERE snapshot_id = ?`, id) ?? []) {
        insertRow(table, row);
      }
    }
    // Nothing works on it any more; what was under way can be resumed.
    target
      .prepare(
        "UPDATE downloads SET state = 'paused' WHERE snapshot_id = ? AND state IN ('queued', 'running')",
      )
      .run(id);
    const isUnderWay = state === 'downloading' || state === 'paused';
    const sum = (column: 'record_count' | 'size_bytes'): number =>
      whole.reduce((total, page) => total + page[column], 0);
    // A walk that began again has counted the entries of its pages twice.
    const countSetAside = (): number =>
      Number(target.prepare('SELECT count(*) FROM set_aside WHERE snapshot_id = ?').pluck().get(id));
    const records = sum('record_count');
    // Without them there is one walk over the whole period.
    if (slices.length === 0 && settledToMs === null) {
      insertRow('slices', {
        snapshot_id: id,
        slice_number: 0,
        from_ms: snapshot['from_ms'],
        to_ms: Number(snapshot['to_ms']) + SECOND_MS,
        start_date: snapshot['start_date'],
        end_date: snapshot['end_date'],
      });
    }
    if (isWhole) {
      target
        .prepare('UPDATE snapshots SET is_removed = 0, state = ? WHERE snapshot_id = ?')
        .run(isUnderWay ? 'paused' : state, id);
      return;
    }
    target
      .prepare(
        `UPDATE snapshots SET is_removed = 0, state = 'incomplete', page_count = @pages,
           record_count = @records, received_count = @entries, size_bytes = @bytes, verified_at_ms = NULL,
           slice_number = coalesce((SELECT max(l.slice_number) FROM slices AS l WHERE l.snapshot_id = @id), 0)
         WHERE snapshot_id = @id`,
      )
      .run({
        id,
        pages: whole.length,
        records,
        entries: records + countSetAside(),
        bytes: sum('size_bytes'),
      });
    target
      .prepare("INSERT OR REPLACE INTO remarks (snapshot_id, code, count) VALUES (?, 'pages-damaged', ?)")
      .run(id, Math.max(1, pageCount - whole.length));
    // It is fetched again as a whole: nobody knows what is missing.
    target.prepare('UPDATE slices SET next_cursor = NULL WHERE snapshot_id = ?').run(id);
    prepareSliceWrites(target).recount(id);
  });
  finish.immediate();
}

/** By what the rows that a person's work is in are ordered. */
const KEYS = { record_marks: ['rowid'], error_patterns: ['connection_id', 'direction', 'pattern'] } as const;

/** What a person noted on records, which nobody could fetch again, and which errors were found to be the same. */
function copyKept(
  { source, target, insertRow }: SalvagedFiles,
  table: 'record_marks' | 'error_patterns',
): void {
  const rows = readAround(source, table, KEYS[table]);
  const insertAll = target.transaction(() => {
    for (const row of rows) {
      tryToInsert(() => insertRow(table, row));
    }
  });
  insertAll.immediate();
}

/** Samples are never fetched again: every run of them that can be read is kept. */
async function copySamples(
  { source, target, insertRow }: SalvagedFiles,
  pause: () => Promise<void>,
): Promise<void> {
  const isCopied = prepareSampleSearch(target);
  const lastId = findLastSample(source);
  for (let from = 0; from <= lastId; from += MAX_RUN_SAMPLES) {
    const rows = readSamples(source, from, from + MAX_RUN_SAMPLES);
    const insertAll = target.transaction(() => {
      for (const row of rows) {
        if (!isCopied(row)) tryToInsert(() => insertRow('status_samples', { ...row, sample_id: null }));
      }
    });
    insertAll.immediate();
    await pause();
  }
}

/** The table's end may be what is damaged, while its index is whole. */
function findLastSample(source: Database): number {
  for (const from of ['status_samples', 'status_samples INDEXED BY status_points']) {
    const [last] =
      readRows(source, `SELECT max(sample_id) AS id FROM ${from} WHERE connection_id >= ''`) ?? [];
    if (typeof last?.['id'] === 'number') return last['id'];
  }
  return -1;
}

/** Of a run with damage in it, halves are read, and halves of these. */
function readSamples(source: Database, from: number, end: number): AnyRow[] {
  const rows = readRows(
    source,
    'SELECT * FROM status_samples WHERE sample_id >= ? AND sample_id < ?',
    from,
    end,
  );
  if (rows !== null || end - from <= 1) return rows ?? [];
  const middle = Math.floor((from + end) / 2);
  return [...readSamples(source, from, middle), ...readSamples(source, middle, end)];
}

/** True for a sample of the same moment and the same answer: it came over before this was cut short. */
function prepareSampleSearch(target: Database): (row: AnyRow) => boolean {
  const find = target
    .prepare<AnyRow, number>(
      `SELECT 1 FROM status_samples WHERE connection_id = @connection_id AND checked_at_ms = @checked_at_ms
       AND platform = @platform AND connector = @connector AND failure IS @failure`,
    )
    .pluck();
  return (row) => find.get(row) !== undefined;
}

/** A row of any table, by the names of its columns. */
type AnyRow = Record<string, unknown>;

/** Reads rows of a damaged file; null where SQLite finds the damage on the way. */
function readRows(source: Database, sql: string, ...values: number[]): AnyRow[] | null {
  try {
    return source.prepare<number[], AnyRow>(sql).all(...values);
  } catch (error) {
    if (isDamage(toCacheError(error))) return null;
    throw error;
  }
}

/**
 * Reads a table in the order of its key: of one with damage in it, what lies before the first place that can't be read,
 * and what lies behind the last one.
 */
function readAround(source: Database, table: string, key: readonly string[]): AnyRow[] {
  const before = readWhile(source, `SELECT * FROM ${table} ORDER BY ${key.join(', ')}`);
  if (before.isWhole) return before.rows;
  const backwards = key.map((column) => `${column} DESC`).join(', ');
  return [...before.rows, ...readWhile(source, `SELECT * FROM ${table} ORDER BY ${backwards}`).rows];
}

function readWhile(source: Database, sql: string): { readonly rows: AnyRow[]; readonly isWhole: boolean } {
  const rows: AnyRow[] = [];
  try {
    for (const row of source.prepare<[], AnyRow>(sql).iterate()) rows.push(row);
    return { rows, isWhole: true };
  } catch (error) {
    if (isDamage(toCacheError(error))) return { rows, isWhole: false };
    throw error;
  }
}

/** Prepares the writing of rows as they were; throws SqliteErrors of rows that break a rule of the schema. */
function createRowInserter(target: Database): (table: string, row: AnyRow) => void {
  const statements = new Map<string, ReturnType<Database['prepare']>>();
  return (table, row) => {
    const columns = Object.keys(row).join(', ');
    const key = `${table} (${columns})`;
    const statement =
      statements.get(key) ??
      target.prepare(`INSERT INTO ${key} VALUES (${columns.replaceAll(/\w+/g, (name) => `@${name}`)})`);
    statements.set(key, statement);
    statement.run(row);
  };
}

/** Damaged rows may break a rule of the schema, such as a type or a key that is there twice. */
function isConstraint(error: unknown): boolean {
  return findErrorCode(error)?.startsWith('SQLITE_CONSTRAINT') === true;
}
