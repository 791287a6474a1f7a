import { toCacheError, isDamage } from '../file/to-cache-error.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { createRowDigest, SELECT_DIGEST_GROUPS, selectDigestRows } from '../write/record-digest.ts';
import { toRecordId } from './record-tables.ts';

/** What checking the pages of a snapshot found. */
export interface PageCheck {
  /** Numbers of pages whose stored rows are no longer those that were stored, or can't be read. */
  readonly damagedPages: readonly number[];
  /** Pages that the snapshot counts and its journal lacks. */
  readonly missingPages: number;
  /** Pages from before checksums over stored rows were kept; they can't be checked. */
  readonly uncheckedPages: number;
}

/** Where a page's rows lie in its snapshot. */
export interface PageRange {
  readonly pageNumber: number;
  readonly firstSeq: number;
  readonly recordCount: number;
}
interface PageToVerify extends PageRange {
  readonly recordsSha256: string | null;
}
type Values = (string | number | null)[];

const MAX_READ_ROWS = 500;

/** Prepares a function that computes a page's checksum from what is stored of it. */
export function preparePageDigest(
  database: Database,
): (snapshot: Pick<Snapshot, 'id' | 'report'>, page: PageRange) => string {
  const setAside = database
    .prepare<[number, number], Values>(
      'SELECT place, reason, text FROM set_aside WHERE snapshot_id = ? AND page_number = ? ORDER BY place',
    )
    .raw();
  const records = mapKinds(DETAIL_KINDS, (kind) =>
    database.prepare<[number, number], Values>(selectDigestRows(kind)).raw(),
  );
  const groups = database.prepare<[number, number, number], Values>(SELECT_DIGEST_GROUPS).raw();
  return ({ id, report }, { pageNumber, firstSeq, recordCount }) => {
    const digest = createRowDigest();
    const end = firstSeq + recordCount;
    for (let from = firstSeq; from < end; from += MAX_READ_ROWS) {
      const until = Math.min(from + MAX_READ_ROWS, end);
      const rows = isDetailKind(report)
        ? records[report].all(toRecordId(id, from), toRecordId(id, until))
        : groups.all(id, from, until);
      for (const row of rows) digest.add(row);
    }
    for (const entry of setAside.all(id, pageNumber)) digest.add(entry);
    return digest.finish();
  };
}

/**
 * Prepares the check of stored pages: each one's checksum is computed again, with a pause after each page.
 * Pages whose places do not follow one another count as damaged too. `progress` is called with the records checked so far.
 */
export function createPageVerifier(
  database: Database,
): (
  snapshot: Snapshot,
  pause: () => Promise<void>,
  progress: (records: number) => void,
) => Promise<PageCheck> {
  const pages = database.prepare<[number], PageToVerify>(
    `SELECT page_number AS pageNumber, first_seq AS firstSeq, record_count AS recordCount,
       records_sha256 AS recordsSha256
     FROM pages WHERE snapshot_id = ? ORDER BY page_number`,
  );
  const digestPage = preparePageDigest(database);
  return async (snapshot, pause, progress) => {
    const damagedPages: number[] = [];
    const found = pages.all(snapshot.id).slice(0, snapshot.pageCount);
    let uncheckedPages = 0;
    let expectedSeq = 0;
    for (const page of found) {
      const follows = page.firstSeq === expectedSeq;
      expectedSeq = page.firstSeq + page.recordCount;
      if (page.recordsSha256 === null) uncheckedPages += 1;
      const sha256 = readOrDamage(() => digestPage(snapshot, page));
      if (!follows || sha256 === null || (page.recordsSha256 ?? sha256) !== sha256) {
        damagedPages.push(page.pageNumber);
      }
      progress(expectedSeq);
      await pause();
    }
    return { damagedPages, missingPages: snapshot.pageCount - found.length, uncheckedPages };
  };
}

/** Null where SQLite itself finds the rows damaged. */
function readOrDamage(read: () => string): string | null {
  try {
    return read();
  } catch (error) {
    if (isDamage(toCacheError(error))) return null;
    throw error;
  }
}
