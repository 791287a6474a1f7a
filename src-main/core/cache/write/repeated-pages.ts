import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { DetailRecord } from '../../../common/reporting/reading/read-record.ts';
import { DETAIL_KINDS, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES, toStoredDate } from '../read/record-tables.ts';

/** Compares records with those that lie in a snapshot from a place on. */
type IsStored = (snapshot: Snapshot, firstSeq: number, records: readonly DetailRecord[]) => boolean;
type StoredDate = ReturnType<typeof toStoredDate>;
interface FirstRecord extends Pick<DetailRecord, 'dateMs' | 'sessionId' | 'client'> {
  readonly storedDate: StoredDate;
}

interface PageOfWalk {
  readonly snapshot: Snapshot;
  /** Place that the page's first record has in the snapshot. */
  readonly firstSeq: number;
  /** Where the records of its slice begin; none before come again, but for those at the cut. */
  readonly sliceFirstSeq: number;
  readonly records: readonly DetailRecord[];
  /** As many entries as announced had come before this page. */
  readonly hadAll: () => boolean;
}

export interface RepeatWatch {
  /** True for a page that came before; every other one is remembered. */
  isRepeated(kind: DetailKind, page: PageOfWalk): boolean;
  /** How many records at the page's beginning are the end of the page before in its walk. */
  countOverlap(kind: DetailKind, page: PageOfWalk): number;
  /** Drops what is remembered of a snapshot: a page of it was not stored after all. */
  forget(snapshotId: number): void;
}

/** Where pages of a snapshot begin, by their first records. */
type Starts = Map<string, number[]>;

/** Shorter pages may be alike by chance. */
const MIN_REPEATED_RECORDS = 10;
/** A service may well hold some records that are equal in everything, but hardly so many in a row of pages. */
const MIN_EQUAL_PAGES = 100;
/** Walks whose pages are kept in mind; more than ever run at once. */
const MAX_WALKS = 8;
/** Pages hardly overlap by more records than this. */
const MAX_OVERLAP = 200;

/**
 * Recognises a page that came before (decision 8): a service that ignores its cursors, or begins again at the end,
 * gives the same records without end. A few records count as repeated only once all announced ones have come, or when
 * they come a third time; records that are all equal, which decision 26 counts one by one, much later. What pages
 * merely overlap by is counted: two records may well be equal.
 */
export function prepareRepeatWatch(
  database: Database,
  isStored: Readonly<Record<DetailKind, IsStored>>,
): RepeatWatch {
  const listFirst = mapKinds(DETAIL_KINDS, (kind) =>
    database.prepare<[number, number], FirstRecord & { readonly firstSeq: number }>(
      `SELECT p.first_seq AS firstSeq, r.date_text AS storedDate, r.date_ms AS dateMs, r.session_id AS sessionId, r.client
       FROM pages AS p JOIN ${RECORD_TABLES[kind].name} AS r ON r.record_id = ? + p.first_seq
       WHERE p.snapshot_id = ? AND p.record_count > 0`,
    ),
  );
  const findAlike = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number, StoredDate, number | null, string, string], number>(
        `SELECT record_id FROM ${RECORD_TABLES[kind].name}
         WHERE record_id >= ? AND record_id < ? AND date_text IS ? AND date_ms IS ?
           AND session_id = ? AND client = ?
         ORDER BY record_id LIMIT 1`,
      )
      .pluck(),
  );
  const walks = new Map<number, Starts>();

  const readStarts = (kind: DetailKind, snapshot: Snapshot): Starts => {
    const known = walks.get(snapshot.id);
    if (known !== undefined && snapshot.pageCount > 0) return known;
    const starts: Starts = new Map();
    const rows = snapshot.pageCount === 0 ? [] : listFirst[kind].all(toRecordId(snapshot.id, 0), snapshot.id);
    for (const row of rows) addTo(starts, toKey(row), row.firstSeq);
    walks.delete(snapshot.id);
    walks.set(snapshot.id, starts);
    for (const [oldest] of walks) if (walks.size > MAX_WALKS) walks.delete(oldest);
    return starts;
  };
  const countOverlap: RepeatWatch['countOverlap'] = (
    kind,
    { snapshot, firstSeq, sliceFirstSeq, records },
  ) => {
    const [first] = records;
    if (first === undefined || firstSeq <= sliceFirstSeq) return 0;
    const from = toRecordId(snapshot.id, Math.max(sliceFirstSeq, firstSeq - MAX_OVERLAP));
    const end = toRecordId(snapshot.id, firstSeq);
    const { storedDate, dateMs, sessionId, client } = toFirst(first);
    const found = findAlike[kind].get(from, end, storedDate, dateMs, sessionId, client);
    const count = found === undefined ? 0 : end - found;
    const isSame = count > 0 && count < records.length;
    return isSame && isStored[kind](snapshot, firstSeq - count, records.slice(0, count)) ? count : 0;
  };

  return {
    isRepeated(kind, page) {
      const { snapshot, firstSeq, sliceFirstSeq, records, hadAll } = page;
      const starts = readStarts(kind, snapshot);
      const [first] = records;
      if (first === undefined) return false;
      const key = toKey(toFirst(first));
      let matches = 0;
      for (const place of starts.get(key) ?? []) {
        if (place >= firstSeq) continue;
        const part = records.slice(0, firstSeq - place);
        if (!isStored[kind](snapshot, place, part)) continue;
        matches += 1;
        if (part.length >= MIN_REPEATED_RECORDS || (matches > 1 && isVaried(part))) return true;
        if (matches >= MIN_EQUAL_PAGES) return true;
        if (place < sliceFirstSeq || hadAll()) return true;
      }
      const tail = firstSeq - records.length;
      if (tail >= 0 && hadAll() && isStored[kind](snapshot, tail, records)) return true;
      addTo(starts, key, firstSeq);
      return false;
    },
    countOverlap,
    forget: (snapshotId) => void walks.delete(snapshotId),
  };
}

function toFirst({ dateText, dateMs, sessionId, client }: DetailRecord): FirstRecord {
  return { storedDate: toStoredDate(dateText, dateMs), dateMs, sessionId, client };
}

function isVaried([first, ...others]: readonly DetailRecord[]): boolean {
  const text = JSON.stringify(first);
  return others.some((other) => JSON.stringify(other) !== text);
}

function toKey({ storedDate, dateMs, sessionId, client }: FirstRecord): string {
  return [storedDate, dateMs, sessionId, client].join('\n').toWellFormed();
}

function addTo(starts: Map<string, number[]>, key: string, place: number): void {
  const places = starts.get(key);
  if (places === undefined) starts.set(key, [place]);
  else if (!places.includes(place)) places.push(place);
}
