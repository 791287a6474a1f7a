import { toCacheError, isDamage } from './to-cache-error.ts';
import type { Snapshot } from '../../common/model/snapshot.ts';
import type { Connection } from './connect.ts';
import { createRowDigest, SELECT_DIGEST_GROUPS, selectDigestRows, type RowDigest } from './record-digest.ts';
import { isDetail, toDirection, toRecordId } from './record-tables.ts';

/** What checking the pages of a snapshot found. */
export interface PageCheck {
  /** Numbers of pages whose stored rows are no longer those that were stored, or can't be read. */
  readonly damagedPages: readonly number[];
  /** Pages that the snapshot counts and its journal lacks. */
  readonly missingPages: number;
  /** Pages from before checksums over stored rows were kept: nothing can be said of them. */
  readonly uncheckedPages: number;
}

interface PageRow {
  readonly pageNumber: number;
  readonly firstSeq: number;
  readonly recordCount: number;
  readonly recordsSha256: string | null;
}
type Values = (string | number | null)[];

const READ_ROWS = 500;

/**
 * Prepares the check of stored pages: each one's checksum is worked out again from its rows and entries set
 * aside, in bounded statements. Also counts pages whose places do not follow one another as damaged. `note`
 * hears the records checked so far, of this snapshot.
 */
export function createPageVerifier(
  database: Connection,
): (snapshot: Snapshot, pause: () => Promise<void>, note: (records: number) => void) => Promise<PageCheck> {
  const pages = database.prepare<[number], PageRow>(
    `SELECT page_number AS pageNumber, first_seq AS firstSeq, record_count AS recordCount,
       records_sha256 AS recordsSha256
     FROM pages WHERE snapshot_id = ? ORDER BY page_number`,
  );
  const setAside = database
    .prepare<[number, number], Values>(
      'SELECT place, reason, text FROM set_aside WHERE snapshot_id = ? AND page_number = ? ORDER BY place',
    )
    .raw();
  const rowsOf = {
    inbound: database.prepare<[number, number], Values>(selectDigestRows('inbound')).raw(),
    outbound: database.prepare<[number, number], Values>(selectDigestRows('outbound')).raw(),
  };
  const groups = database.prepare<[number, number, number], Values>(SELECT_DIGEST_GROUPS).raw();

  const addRows = (digest: RowDigest, snapshot: Snapshot, from: number, until: number): void => {
    const rows = isDetail(snapshot.report)
      ? rowsOf[toDirection(snapshot.report)].all(
          toRecordId(snapshot.id, from),
          toRecordId(snapshot.id, until),
        )
      : groups.all(snapshot.id, from, until);
    for (const row of rows) digest.add(row);
  };
  const digestPage = async (
    snapshot: Snapshot,
    page: PageRow,
    pause: () => Promise<void>,
  ): Promise<string> => {
    const digest = createRowDigest();
    const end = page.firstSeq + page.recordCount;
    for (let from = page.firstSeq; from < end; from += READ_ROWS) {
      addRows(digest, snapshot, from, Math.min(from + READ_ROWS, end));
      await pause();
    }
    for (const entry of setAside.all(snapshot.id, page.pageNumber)) digest.add(entry);
    return digest.finish();
  };

  return async (snapshot, pause, note) => {
    const damagedPages: number[] = [];
    const found = pages.all(snapshot.id).slice(0, snapshot.pageCount);
    let uncheckedPages = 0;
    let expectedSeq = 0;
    for (const page of found) {
      const follows = page.firstSeq === expectedSeq;
      expectedSeq = page.firstSeq + page.recordCount;
      if (page.recordsSha256 === null) uncheckedPages += 1;
      const sha256 = await readOrDamage(() => digestPage(snapshot, page, pause));
      if (!follows || sha256 === null || (page.recordsSha256 ?? sha256) !== sha256) {
        damagedPages.push(page.pageNumber);
      }
      note(expectedSeq);
      await pause();
    }
    return { damagedPages, missingPages: snapshot.pageCount - found.length, uncheckedPages };
  };
}

/** Null where SQLite itself finds the rows damaged: that is what was asked. */
async function readOrDamage(read: () => Promise<string>): Promise<string | null> {
  try {
    return await read();
  } catch (error) {
    if (isDamage(toCacheError(error))) return null;
    throw error;
  }
}
