import { createHash } from 'node:crypto';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { toRecordId } from '../../common/model/records/record.ts';
import { isDetailKind, type ReportKind } from '../../common/reporting/reports.ts';
import type { Database } from '../../node/open-database.ts';
import type { CallContext } from '../calls/calls.ts';
import { createKnownSecrets, type SecretCleaner } from '../secrets/secret-cleaner.ts';
import { isDamagedPage } from './file/open-database.ts';
import { RECORD_TABLES } from './read/record-tables.ts';
import type { SnapshotReader } from './read/snapshot-rows.ts';
import { createStoredPages, packBody, type PageRange } from './read/stored-pages.ts';
import { preparePageReading, type StoredPage } from './rereading/page-reading.ts';
import { preparePageReplacement } from './rereading/read-again.ts';
import { preparePageWrites } from './write/page-writes.ts';

export interface WantedCleaning {
  readonly connectionId: string;
  /** What is known of the connection's secrets now. */
  readonly secrets: readonly string[];
}

export interface Cleaning {
  readonly searchedPages: number;
  readonly cleanedPages: number;
  /** Snapshots with such pages. */
  readonly snapshotIds: readonly number[];
  /** Something was removed, in a page or beside one. */
  readonly isChanged: boolean;
}

interface UncleanedPage extends StoredPage {
  readonly snapshotId: number;
}

/** Pages whose search is noted together. */
const BATCH = 50;

/** Returns the connections whose older pages, stored before pages were cleaned, have all been searched. */
export function listCleaned(database: Database): string[] {
  return database.prepare<[], string>('SELECT connection_id FROM cleaned_connections').pluck().all();
}

/**
 * Prepares the search of kept pages for secrets: those of a connection that came before what services send back was
 * cleaned. Each page is unpacked once; one that holds a secret is replaced by the cleaned one, with its rows and its
 * checksum, in one transaction, and its snapshot says so. `beforeChange` is called before anything changes. A run that ended early goes on where it was. Pages of a download
 * that is under way, and of removed snapshots, are left to a later run.
 */
export function createPageCleaner(
  database: Database,
  snapshots: SnapshotReader,
  beforeChange: () => void,
): (wanted: WantedCleaning, context: CallContext) => Promise<Cleaning> {
  const reader = preparePageReading(database);
  const bodies = createStoredPages(database);
  const replacement = preparePageReplacement(database);
  const { mergeRemark } = preparePageWrites(database);
  const uncleaned = `FROM pages AS p JOIN snapshots AS s USING (snapshot_id)
    WHERE p.is_cleaned = 0 AND s.connection_id = ?`;
  const next = database.prepare<[string], UncleanedPage>(
    `SELECT snapshot_id AS snapshotId, p.page_number AS pageNumber, p.first_seq AS firstSeq,
       p.record_count AS recordCount, p.entry_count AS entryCount, p.known_entries AS knownEntries, p.sha256,
       p.records_sha256 AS recordsSha256
     ${uncleaned} AND s.is_removed = 0 AND s.state <> 'downloading'
     ORDER BY snapshot_id, p.page_number LIMIT ${BATCH}`,
  );
  const isLeft = database.prepare<[string], number>(`SELECT 1 ${uncleaned} LIMIT 1`).pluck();
  const noteSearch = database.prepare(
    'UPDATE pages SET is_cleaned = 1 WHERE snapshot_id = ? AND page_number = ?',
  );
  const noteConnection = database.prepare('INSERT OR IGNORE INTO cleaned_connections VALUES (?)');
  const setBody = database.prepare(
    'UPDATE page_bodies SET body = ? WHERE snapshot_id = ? AND page_number = ?',
  );
  const setPage = database.prepare(
    'UPDATE pages SET sha256 = ?, size_bytes = ? WHERE snapshot_id = ? AND page_number = ?',
  );
  const forgetRowsDigest = database.prepare(
    'UPDATE pages SET records_sha256 = NULL WHERE snapshot_id = ? AND page_number = ?',
  );
  const addUp = database.prepare(
    `UPDATE snapshots SET reading = reading + 1,
       size_bytes = (SELECT coalesce(sum(size_bytes), 0) FROM pages WHERE snapshot_id = @snapshotId)
     WHERE snapshot_id = @snapshotId`,
  );
  // Whatever is derived from the cache is built anew: it holds the secrets, too.
  const renewIdentity = database.prepare('UPDATE cache_state SET identity = lower(hex(randomblob(16)))');

  const readBody = ({ snapshotId, pageNumber }: UncleanedPage): Buffer | null => {
    try {
      return bodies.readBody(snapshotId, pageNumber);
    } catch (error) {
      if (isDamagedPage(error)) return null;
      throw error;
    }
  };
  /** Rows as the cleaned page is read; where it is read otherwise than they were stored, each text by itself. */
  const replaceRows = (snapshot: Snapshot, page: StoredPage): void => {
    const reading = reader.compare(snapshot, page, snapshot.period.zone);
    const fresh = reading.state === 'read' ? reading.fresh : null;
    const count = fresh === null ? -1 : (isDetailKind(snapshot.report) ? fresh.records : fresh.groups).length;
    if (fresh !== null && count === page.recordCount) {
      replacement.replacePage(snapshot, page, fresh);
      return;
    }
    cleanRows(database, snapshot, page);
    forgetRowsDigest.run(snapshot.id, page.pageNumber);
  };
  const replace = database.transaction((page: UncleanedPage, cleaned: Buffer, removed: number) => {
    const { snapshotId, pageNumber } = page;
    const snapshot = snapshots.get(snapshotId);
    const sha256 = createHash('sha256').update(cleaned).digest('hex');
    setBody.run(packBody(cleaned), snapshotId, pageNumber);
    setPage.run(sha256, cleaned.byteLength, snapshotId, pageNumber);
    replaceRows(snapshot, { ...page, sha256 });
    mergeRemark(snapshotId, { code: 'secrets-removed', count: removed });
    addUp.run({ snapshotId });
  });
  const cleanOne = (page: UncleanedPage, cleaner: SecretCleaner): boolean => {
    const body = readBody(page);
    if (body === null) return false;
    // A copy: the search looks at it from its first byte, in pairs.
    const { bytes, removed } = cleaner.cleanBody(new Uint8Array(body).buffer);
    if (removed === 0) return false;
    beforeChange();
    replace.immediate(page, Buffer.from(bytes), removed);
    return true;
  };
  const cleanBeside = database.transaction((connectionId: string): boolean => {
    const changed = cleanTexts(database, connectionId);
    if (changed > 0) beforeChange();
    return changed > 0;
  });
  const noteAll = database.transaction((pages: readonly UncleanedPage[]) => {
    for (const { snapshotId, pageNumber } of pages) noteSearch.run(snapshotId, pageNumber);
  });

  return async ({ connectionId, secrets }, { pause }) => {
    const cleaner = createKnownSecrets().createCleaner();
    for (const secret of secrets) cleaner.note(secret);
    defineCleaning(database, cleaner.cleanText);
    const snapshotIds = new Set<number>();
    let [searchedPages, cleanedPages] = [0, 0];
    for (let pages = next.all(connectionId); pages.length > 0; pages = next.all(connectionId)) {
      for (const page of pages) {
        if (cleanOne(page, cleaner)) {
          cleanedPages += 1;
          snapshotIds.add(page.snapshotId);
        }
        await pause();
      }
      noteAll.immediate(pages);
      searchedPages += pages.length;
    }
    const isChanged = cleanBeside.immediate(connectionId) || cleanedPages > 0;
    if (isChanged) renewIdentity.run();
    if (isLeft.get(connectionId) === undefined) noteConnection.run(connectionId);
    return { searchedPages, cleanedPages, snapshotIds: [...snapshotIds], isChanged };
  };
}

const OWN = 'snapshot_id IN (SELECT snapshot_id FROM snapshots WHERE connection_id = ?)';
/** Texts that services sent, beside pages and their records: table, columns, and which rows are the connection's. */
const TEXTS: readonly (readonly [table: string, columns: readonly string[], own: string])[] = [
  ['remarks', ['detail'], OWN],
  ['set_aside', ['text'], OWN],
  ['downloads', ['failure'], OWN],
  ['pages', ['cursor_sent', 'cursor_received'], OWN],
  ['slices', ['next_cursor'], OWN],
  ['snapshots', ['name_visualization', 'id_report'], 'connection_id = ?'],
  ['status_samples', ['traffic', 'traffic_text'], 'connection_id = ?'],
  ['report_shapes', ['shape'], 'connection_id = ?'],
  ['error_patterns', ['pattern', 'family'], 'connection_id = ?'],
];
const GROUP_TEXTS = ['origin', 'session_id'];

/** Defines the function of SQL that the statements below clean texts with; anything but text stays as it is. */
function defineCleaning(database: Database, clean: (text: string) => string): void {
  database.function('clean_text', (value: unknown) => (typeof value === 'string' ? clean(value) : value));
}

/** Cleans what a connection's services sent beside pages; returns how many rows changed. */
function cleanTexts(database: Database, connectionId: string): number {
  let changed = 0;
  for (const [table, columns, own] of TEXTS) {
    for (const column of columns) {
      // Two patterns may be one without what is cleaned away.
      const sql = `UPDATE OR REPLACE ${table} SET ${column} = clean_text(${column})
        WHERE ${own} AND ${column} IS NOT NULL AND ${column} <> clean_text(${column})`;
      changed += database.prepare(sql).run(connectionId).changes;
    }
  }
  return changed;
}

/** Cleans the rows of a page whose body today's reader reads otherwise than they were stored. */
function cleanRows(
  database: Database,
  { id, report }: { readonly id: number; readonly report: ReportKind },
  { firstSeq, recordCount }: PageRange,
): void {
  const end = firstSeq + recordCount;
  const toSet = (columns: readonly string[]): string =>
    columns.map((column) => `${column} = clean_text(${column})`).join(', ');
  if (!isDetailKind(report)) {
    const sql = `UPDATE summary_groups SET ${toSet(GROUP_TEXTS)} WHERE snapshot_id = ? AND seq >= ? AND seq < ?`;
    database.prepare(sql).run(id, firstSeq, end);
    return;
  }
  const { name, columns } = RECORD_TABLES[report];
  const all = [...columns.map(({ column }) => column), 'payload_preview'];
  const sql = `UPDATE ${name} SET ${toSet(all)} WHERE record_id >= ? AND record_id < ?`;
  database.prepare(sql).run(toRecordId(id, firstSeq), toRecordId(id, end));
}
