import { createHash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Node, parseTree } from 'jsonc-parser';
import { AppError } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { fromRecordId, toRecordId } from '../../../common/model/records/record.ts';
import { decodeUtf8, withNumberWords } from '../../../common/reporting/reading/read-json.ts';
import { readPage } from '../../../common/reporting/reading/read-page.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds, type ReportKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { isDamage, isDamagedPage, toCacheError } from '../file/open-database.ts';
import {
  createRowDigest,
  type DigestedRow,
  SELECT_DIGEST_GROUPS,
  toDigested,
} from '../write/insert-records.ts';
import { RECORD_TABLES, selectValues } from './record-tables.ts';

/** Where the records of a page lie in their snapshot. */
export interface PageRange {
  readonly pageNumber: number;
  readonly firstSeq: number;
  readonly recordCount: number;
}

/** What of a record no table holds. */
export type StoredTexts = Pick<DetailRecord, 'payload' | 'response' | 'extra'>;

type Owner = Pick<Snapshot, 'id' | 'report'>;

export interface StoredPages {
  /** A page as received. Throws AppError `cache.page-damaged` where the bytes are missing or damaged. */
  readBody(snapshotId: number, pageNumber: number): Buffer;
  /**
   * Texts of a page's records, in their order, as today's reader reads them; empty ones of a record that it
   * sets aside. Throws AppError `cache.page-damaged` when the page does not hold as many records.
   */
  readTexts(snapshot: Owner, page: PageRange): readonly StoredTexts[];
  /** The text of one record as it stands in its page; null where the page holds it in a way that has none. */
  readRaw(snapshot: Owner, seq: number): string | null;
  /** Texts of entries of a page, readable or not, as they stand in it; null for each that has none there. */
  readEntries(snapshotId: number, pageNumber: number, places: readonly number[]): (string | null)[];
  /** Texts of records with these ids, in their order; each page is opened once. */
  readTextsOf(ids: readonly number[]): StoredTexts[];
}

const NO_TEXTS: StoredTexts = { payload: '', response: null, extra: {} };

interface EntryRow {
  readonly knownEntries: number;
}

/**
 * Prepares the reading of stored pages. The page read last stays in memory, since neighbours are read together. With
 * `hasExactExtras`, fields that the specification does not know keep the digits of their numbers; see `readPage`.
 */
export function createStoredPages(
  database: Database,
  { hasExactExtras = false }: { readonly hasExactExtras?: boolean } = {},
): StoredPages {
  const body = database
    .prepare<[number, number], Buffer>(
      'SELECT body FROM page_bodies WHERE snapshot_id = ? AND page_number = ?',
    )
    .pluck();
  const known = database.prepare<[number, number], EntryRow>(
    'SELECT known_entries AS knownEntries FROM pages WHERE snapshot_id = ? AND page_number = ?',
  );
  const setAside = database
    .prepare<[number, number], number>(
      'SELECT place FROM set_aside WHERE snapshot_id = ? AND page_number = ?',
    )
    .pluck();
  const owner = database.prepare<[number], Owner>(
    'SELECT snapshot_id AS id, report FROM snapshots WHERE snapshot_id = ?',
  );
  const pageAt = database.prepare<[number, number, number], PageRange>(
    `SELECT page_number AS pageNumber, first_seq AS firstSeq, record_count AS recordCount
     FROM pages WHERE snapshot_id = ? AND page_number >= ? AND first_seq + record_count > ? AND record_count > 0
     ORDER BY page_number LIMIT 1`,
  );
  let last: { readonly key: string; readonly texts: readonly StoredTexts[] } | null = null;

  const readBody = (snapshotId: number, pageNumber: number): Buffer => {
    const packed = body.get(snapshotId, pageNumber);
    if (packed === undefined) throw toDamage(snapshotId, pageNumber);
    return unpackBody(packed);
  };

  /** The page that holds a place of the snapshot; `near`, one before it, is where the search begins. */
  const findPage = (snapshotId: number, seq: number, near?: PageRange): PageRange | undefined => {
    const isBehind = near !== undefined && near.firstSeq <= seq;
    const page = pageAt.get(snapshotId, isBehind ? near.pageNumber : 0, seq);
    if (page !== undefined && page.firstSeq <= seq) return page;
    return isBehind ? findPage(snapshotId, seq) : undefined;
  };

  /** Places of a page's records among its entries. */
  const listPlaces = (snapshotId: number, pageNumber: number, entryCount: number): number[] => {
    const { knownEntries = 0 } = known.get(snapshotId, pageNumber) ?? {};
    const aside = new Set(setAside.all(snapshotId, pageNumber));
    const places = Array.from({ length: entryCount }, (_none, place) => place);
    return places.filter((place) => place >= knownEntries && !aside.has(place));
  };

  const readTexts = (
    snapshot: Owner,
    { pageNumber, firstSeq, recordCount }: PageRange,
  ): readonly StoredTexts[] => {
    // Reading a page again may find as many records as before, but others.
    const aside = setAside.all(snapshot.id, pageNumber).join(' ');
    const key = `${snapshot.id} ${pageNumber} ${firstSeq} ${recordCount} ${aside}`;
    if (last?.key === key) return last.texts;
    const bytes = readBody(snapshot.id, pageNumber);
    const entries = listEntries(bytes, snapshot.report, hasExactExtras);
    const places = listPlaces(snapshot.id, pageNumber, entries.length);
    // Nearly always every entry is a record of the snapshot.
    const isEvery = places.length === entries.length;
    const texts = isEvery ? entries : places.map((place) => entries[place] ?? NO_TEXTS);
    if (texts.length !== recordCount) throw toDamage(snapshot.id, pageNumber);
    last = { key, texts };
    return texts;
  };

  const readTextsOf = (ids: readonly number[]): StoredTexts[] => {
    const texts: StoredTexts[] = Array.from({ length: ids.length }, () => NO_TEXTS);
    let snapshot: Owner | undefined;
    let page: PageRange | undefined;
    let found: readonly StoredTexts[] = [];
    // In the order in which they are stored, so that no page is opened twice.
    for (const place of listPlacesInOrder(ids)) {
      const id = ids[place] ?? 0;
      const { snapshotId, seq } = fromRecordId(id);
      if (snapshot?.id !== snapshotId) {
        snapshot = owner.get(snapshotId);
        page = undefined;
      }
      if (page === undefined || seq < page.firstSeq || seq >= page.firstSeq + page.recordCount) {
        page = findPage(snapshotId, seq, page);
        if (snapshot === undefined || page === undefined) {
          throw new AppError('cache.view-closed', 'The records are gone.', { snapshotId });
        }
        found = readTexts(snapshot, page);
      }
      texts[place] = found[seq - page.firstSeq] ?? NO_TEXTS;
    }
    return texts;
  };

  const readRaw = (snapshot: Owner, seq: number): ReturnType<StoredPages['readRaw']> => {
    const page = findPage(snapshot.id, seq);
    if (page === undefined) throw new AppError('cache.snapshot-not-found', 'The record is not in the cache.');
    const { pageNumber, firstSeq } = page;
    const bytes = readBody(snapshot.id, pageNumber);
    const entries = parseEntries(bytes, snapshot.report);
    const place = listPlaces(snapshot.id, pageNumber, entries.length)[seq - firstSeq];
    const [text = null] = place === undefined ? [] : findRawEntries(decodeUtf8(bytes), entries, [place]);
    return text;
  };
  const readEntries = (
    snapshotId: number,
    pageNumber: number,
    places: readonly number[],
  ): (string | null)[] => {
    const snapshot = owner.get(snapshotId);
    const bytes = readBody(snapshotId, pageNumber);
    if (snapshot === undefined) return places.map(() => null);
    return findRawEntries(decodeUtf8(bytes), parseEntries(bytes, snapshot.report), places);
  };

  return { readBody, readTexts, readRaw, readEntries, readTextsOf };
}

/** Texts of every entry of a page, readable or not. */
function listEntries(bytes: Uint8Array, report: ReportKind, hasExactExtras: boolean): readonly StoredTexts[] {
  // No text depends on the zone of dates.
  const { records, setAside, recordCount } = readPage(bytes, { report, zone: 'UTC', hasExactExtras });
  if (setAside.length === 0) return records;
  const aside = new Set(setAside.map(({ index }) => index));
  let next = 0;
  return Array.from({ length: recordCount }, (_none, index) =>
    aside.has(index) ? NO_TEXTS : (records[next++] ?? NO_TEXTS),
  );
}

/** The entries of a page as they came. */
function parseEntries(bytes: Uint8Array, report: ReportKind): readonly unknown[] {
  let entries: readonly unknown[] = [];
  readPage(bytes, { report, zone: 'UTC', onEntries: (found) => (entries = found) });
  return entries;
}

/** Places in a list of ids, the least id first. */
function listPlacesInOrder(ids: readonly number[]): Iterable<number> {
  if (ids.every((id, place) => place === 0 || id > (ids[place - 1] ?? 0))) return ids.keys();
  return [...ids.keys()].sort((a, b) => (ids[a] ?? 0) - (ids[b] ?? 0));
}

function toDamage(snapshotId: number, pageNumber: number): AppError {
  return new AppError('cache.page-damaged', 'The stored page is damaged.', { snapshotId, pageNumber });
}

const parse = withNumberWords((text) => JSON.parse(text) as unknown);

/**
 * Returns the texts of entries of a page, letter for letter; null for each where the page holds its entries in a way
 * that has no such text, such as a list inside a string, or nested deeper than can be looked through. `entries` are those of the page as they were parsed.
 */
export function findRawEntries(
  text: string,
  entries: readonly unknown[],
  places: readonly number[],
): (string | null)[] {
  try {
    return findEntries(text, entries, places);
  } catch (error) {
    if (error instanceof RangeError) return places.map(() => null);
    throw error;
  }
}

function findEntries(
  text: string,
  entries: readonly unknown[],
  places: readonly number[],
): (string | null)[] {
  const root = parseTree(text);
  const lists = root === undefined ? [] : [...findLists(root, entries.length)];
  return places.map((place) => {
    const wanted = JSON.stringify(entries[place]);
    // Another list of the page may be as long: only the entry itself tells which one is meant.
    for (const list of lists) {
      const node = list.children?.[place];
      if (node === undefined) continue;
      const found = text.slice(node.offset, node.offset + node.length);
      if (JSON.stringify(parse(found)) === wanted) return found;
    }
    return null;
  });
}

/** Lists of a length that are no entries of another list, in the order of the text. */
function* findLists(node: Node, length: number): Generator<Node> {
  if (node.type === 'array' && node.children?.length === length) yield node;
  for (const property of node.type === 'object' ? (node.children ?? []) : []) {
    const value = property.children?.[1];
    if (value !== undefined) yield* findLists(value, length);
  }
}

// Higher levels take longer and make the repetitive pages of reports hardly smaller, or larger.
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };

/** Compresses the body of a page with zstd; a checksum is part of it. */
export function packBody(body: Uint8Array): Buffer {
  return zstdCompressSync(body, OPTIONS);
}

/** Bodies take several times as much room as when packed: in larger pieces, fewer ones are put together. */
const PIECE_RATIO = 8;
const [LEAST_PIECE_BYTES, MOST_PIECE_BYTES] = [16_384, 4_194_304];

/** Returns the body as received. Throws AppError `cache.page-damaged` for bytes that are not what was packed. */
export function unpackBody(packed: Uint8Array): Buffer {
  try {
    const chunkSize = Math.min(Math.max(packed.length * PIECE_RATIO, LEAST_PIECE_BYTES), MOST_PIECE_BYTES);
    return zstdDecompressSync(packed, { chunkSize });
  } catch (cause) {
    throw new AppError('cache.page-damaged', 'The stored page is damaged.', {}, cause);
  }
}

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
  visit: (row: Required<DigestedRow>) => void,
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
        for (const values of groups.all(id, first, end)) visit({ values, texts: [] });
        continue;
      }
      for (const [place, row] of records[report].all(toRecordId(id, first), toRecordId(id, end)).entries()) {
        const own = texts[from + place];
        visit(own === undefined ? { values: row, texts: [] } : toDigested(RECORD_TABLES[report], row, own));
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
    for (const entry of setAside.all(snapshot.id, page.pageNumber)) digest.add({ values: entry });
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
