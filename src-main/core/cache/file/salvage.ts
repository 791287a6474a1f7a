import type { CacheState } from '../../../common/model/cache/cache-state.ts';
import { isDetailKind, type ReportKind } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { openDamaged, removeReadableCopy } from './open-damaged.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import { createStoredPages } from '../read/stored-pages.ts';
import { isDamagedPage } from './to-cache-error.ts';
import { createRowInserter, isConstraint, readRows, type AnyRow } from './salvage-rows.ts';
import { preparePageDigest } from '../read/verify-pages.ts';

type InsertRow = ReturnType<typeof createRowInserter>;
type Salvage = NonNullable<CacheState['salvaged']>;

interface DamagedSnapshot extends AnyRow {
  readonly snapshot_id: number;
  readonly report: ReportKind;
  readonly state: string;
  readonly page_count: number;
  readonly refresh_of: number | null;
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

/** Hides a snapshot that is being brought over; the next start deletes one that a crash left so. */
export const BEING_SALVAGED = 3;
/** Samples of one run; a run with a damaged row is left out whole. */
const MAX_RUN_SAMPLES = 200;

/** Thrown inside a page's transaction so that nothing of the page stays. */
class PageLost extends Error {}

/**
 * Brings over from a damaged file what is whole: of each snapshot the pages up to the first whose stored rows are
 * no longer those of its checksum, and the status samples that can be read. A snapshot that loses pages becomes
 * incomplete, with a remark. The damaged file is only read. Returns null for a file of another schema.
 */
export async function salvage(
  target: Database,
  damagedFile: string,
  pause: () => Promise<void>,
): Promise<Salvage | null> {
  const source = openDamaged(damagedFile);
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
  const found = readRows(source, 'SELECT * FROM snapshots WHERE is_removed = 0') ?? [];
  const snapshots = found as DamagedSnapshot[];
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
    insertRow('snapshots', { ...snapshot, is_removed: BEING_SALVAGED, refresh_of: null });
    const pages = readRows(source, 'SELECT * FROM pages WHERE snapshot_id = ? ORDER BY page_number', id);
    const whole: DamagedPage[] = [];
    let records = 0;
    for (const page of (pages ?? []) as DamagedPage[]) {
      if (page.page_number !== whole.length || page.first_seq !== records) break;
      if (!copyPage(snapshot, page)) break;
      whole.push(page);
      records += page.record_count;
      await pause();
    }
    finishSnapshot(files, snapshot, whole);
    total.snapshots += 1;
    total.records += records;
    total.lostPages += pageCount - whole.length;
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

/** Copies one page in one transaction; false, and nothing copied, when it is not whole. */
function preparePageCopy({
  source,
  target,
  insertRow,
}: SalvagedFiles): (snapshot: DamagedSnapshot, page: DamagedPage) => boolean {
  const digest = preparePageDigest(target, createStoredPages(target));
  const copyAll = target.transaction(({ snapshot_id: id, report }: DamagedSnapshot, page: DamagedPage) => {
    const { page_number: pageNumber, first_seq: firstSeq, record_count: recordCount } = page;
    const end = firstSeq + recordCount;
    const copy = (table: string, condition: string, ...values: number[]): number => {
      const rows = readRows(source, `SELECT * FROM ${table} WHERE ${condition}`, ...values);
      if (rows === null) throw new PageLost();
      for (const row of rows) insertRow(table, row);
      return rows.length;
    };
    insertRow('pages', { ...page, is_damaged: 0 });
    copy('set_aside', 'snapshot_id = ? AND page_number = ?', id, pageNumber);
    if (copy('page_bodies', 'snapshot_id = ? AND page_number = ?', id, pageNumber) !== 1)
      throw new PageLost();
    const copied = isDetailKind(report)
      ? copy(
          RECORD_TABLES[report].name,
          'record_id >= ? AND record_id < ?',
          toRecordId(id, firstSeq),
          toRecordId(id, end),
        )
      : copy('summary_groups', 'snapshot_id = ? AND seq >= ? AND seq < ?', id, firstSeq, end);
    if (copied !== recordCount) throw new PageLost();
    const sha256 = digest({ id, report }, { pageNumber, firstSeq, recordCount });
    // Pages from before there were checksums are taken when none of their rows is missing.
    if (sha256 !== (page.records_sha256 ?? sha256)) throw new PageLost();
  });
  return (snapshot, page) => {
    try {
      copyAll.immediate(snapshot, page);
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
  const { snapshot_id: id, page_count: pageCount, state } = snapshot;
  const finish = target.transaction(() => {
    for (const table of ['remarks', 'downloads', 'followed_slices']) {
      if (table === 'downloads' && whole.length < pageCount) continue;
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
    if (whole.length === pageCount) {
      target
        .prepare('UPDATE snapshots SET is_removed = 0, state = ? WHERE snapshot_id = ?')
        .run(isUnderWay ? 'paused' : state, id);
      return;
    }
    target
      .prepare(
        // As one walk over the whole period, so that another one finds its place among what is left.
        `UPDATE snapshots SET is_removed = 0, state = 'incomplete', next_cursor = NULL, page_count = @pages,
           record_count = @records, received_count = @entries, size_bytes = @bytes, verified_at_ms = NULL,
           slice_number = 0, slice_first_seq = 0, slice_total_before = 0, slice_entry_count = @entries,
           walk_entry_count = @entries, walk_record_count = @records
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
      .run(id, pageCount - whole.length);
  });
  finish.immediate();
}

/** What a person noted on records, which nobody could fetch again, and which errors were found to be the same. */
function copyKept(
  { source, target, insertRow }: SalvagedFiles,
  table: 'record_marks' | 'error_patterns',
): void {
  const rows = readRows(source, `SELECT * FROM ${table}`) ?? [];
  const insertAll = target.transaction(() => {
    for (const row of rows) {
      try {
        insertRow(table, row);
      } catch (error) {
        if (!isConstraint(error)) throw error;
      }
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
  const [last] = readRows(source, 'SELECT max(sample_id) AS id FROM status_samples') ?? [];
  const lastId = Number(last?.['id'] ?? -1);
  for (let from = 0; from <= lastId; from += MAX_RUN_SAMPLES) {
    const until = from + MAX_RUN_SAMPLES;
    const condition = 'sample_id >= ? AND sample_id < ?';
    const rows = readRows(source, `SELECT * FROM status_samples WHERE ${condition}`, from, until) ?? [];
    const insertAll = target.transaction(() => {
      for (const row of rows) {
        if (!isCopied(row)) insertRow('status_samples', { ...row, sample_id: null });
      }
    });
    insertAll.immediate();
    await pause();
  }
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
