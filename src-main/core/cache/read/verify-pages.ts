import { createHash } from 'node:crypto';
import { isDamage, isDamagedPage, toCacheError } from '../file/to-cache-error.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { createRowDigest, listTextValues, SELECT_DIGEST_GROUPS } from '../write/record-digest.ts';
import { selectValues } from './record-tables.ts';
import { createStoredPages, type PageRange, type StoredPages } from './stored-pages.ts';

/** What checking the pages of a snapshot found. */
export interface PageCheck {
  /** Numbers of pages whose bytes or rows are no longer those that were stored, or can't be read. */
  readonly damagedPages: readonly number[];
  /** Pages that the snapshot counts and its journal lacks. */
  readonly missingPages: number;
  /** Pages from before checksums over stored rows were kept; they can't be checked. */
  readonly uncheckedPages: number;
}

interface PageToVerify extends PageRange {
  readonly recordsSha256: string | null;
  readonly sha256: string;
}
type Values = (string | number | null)[];

const MAX_READ_ROWS = 500;

/** Prepares the reading of what the checksum of a record runs over: `visit` gets the values of each one of a page. */
export function prepareValues(
  database: Database,
  pages: StoredPages,
): (
  snapshot: Pick<Snapshot, 'id' | 'report'>,
  page: PageRange,
  visit: (values: Values, texts: Values) => void,
) => void {
  const records = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number], Values>(
        `${selectValues(kind)} WHERE r.record_id >= ? AND r.record_id < ? ORDER BY r.record_id`,
      )
      .raw(),
  );
  const groups = database.prepare<[number, number, number], Values>(SELECT_DIGEST_GROUPS).raw();
  return (snapshot, page, visit) => {
    const { id, report } = snapshot;
    const { firstSeq, recordCount } = page;
    const texts = isDetailKind(report) && recordCount > 0 ? pages.readTexts(snapshot, page) : [];
    for (let from = 0; from < recordCount; from += MAX_READ_ROWS) {
      const [first, end] = [firstSeq + from, firstSeq + Math.min(from + MAX_READ_ROWS, recordCount)];
      if (!isDetailKind(report)) {
        for (const row of groups.all(id, first, end)) visit(row, []);
        continue;
      }
      for (const [place, row] of records[report].all(toRecordId(id, first), toRecordId(id, end)).entries()) {
        const own = texts[from + place];
        visit(row, own === undefined ? [] : listTextValues(report, own));
      }
    }
  };
}

/** Prepares a function that computes a page's checksum from what is stored of it. */
export function preparePageDigest(
  database: Database,
  pages: StoredPages,
): (snapshot: Pick<Snapshot, 'id' | 'report'>, page: PageRange) => string {
  const setAside = database
    .prepare<[number, number], Values>(
      'SELECT place, reason, text FROM set_aside WHERE snapshot_id = ? AND page_number = ? ORDER BY place',
    )
    .raw();
  const visitValues = prepareValues(database, pages);
  return (snapshot, page) => {
    const digest = createRowDigest();
    visitValues(snapshot, page, digest.add);
    for (const entry of setAside.all(snapshot.id, page.pageNumber)) digest.add(entry);
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
       records_sha256 AS recordsSha256, sha256
     FROM pages WHERE snapshot_id = ? ORDER BY page_number`,
  );
  const stored = createStoredPages(database);
  const digestPage = preparePageDigest(database, stored);
  const isAsReceived = ({ id }: Snapshot, { pageNumber, sha256 }: PageToVerify): boolean => {
    const bytes = stored.readBody(id, pageNumber);
    return createHash('sha256').update(bytes).digest('hex') === sha256;
  };
  return async (snapshot, pause, progress) => {
    const damagedPages: number[] = [];
    const found = pages.all(snapshot.id).slice(0, snapshot.pageCount);
    let uncheckedPages = 0;
    let expectedSeq = 0;
    for (const page of found) {
      const follows = page.firstSeq === expectedSeq;
      expectedSeq = page.firstSeq + page.recordCount;
      if (page.recordsSha256 === null) uncheckedPages += 1;
      const isWhole = isReadable(() => {
        if (!isAsReceived(snapshot, page)) return false;
        return page.recordsSha256 === null || digestPage(snapshot, page) === page.recordsSha256;
      });
      if (!follows || !isWhole) damagedPages.push(page.pageNumber);
      progress(expectedSeq);
      await pause();
    }
    return { damagedPages, missingPages: snapshot.pageCount - found.length, uncheckedPages };
  };
}

/** False also where SQLite itself finds rows damaged, or a page can't be opened. */
function isReadable(check: () => boolean): boolean {
  try {
    return check();
  } catch (error) {
    if (isDamage(toCacheError(error)) || isDamagedPage(error)) return false;
    throw error;
  }
}
