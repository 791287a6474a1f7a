import { hash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import type { Output } from '../../../common/contract/index.ts';
import type { RecordRow } from '../../../common/model/records/record.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES, selectRows, requireDetailKind } from './record-tables.ts';
import { createStoredPages, type PageRange } from './stored-pages.ts';
import { prepareValues } from './verify-pages.ts';

type Comparison = Output<'snapshots/compare'>;

interface ComparedPage extends PageRange {
  readonly recordsSha256: string | null;
}
/** A record that the other snapshot lacks; `pairKey` finds what it may have changed into. */
interface UnmatchedRecord {
  readonly seq: number;
  readonly pairKey: string;
}
type RecordsByKey = Map<string, UnmatchedRecord[]>;

/** Records that agree in these fields may be one record that changed. */
const PAIR_NAMES: readonly string[] = ['dateText', 'sessionId'];
const MAX_DIFFERENCES = 200;

/**
 * Prepares the comparison of two detail snapshots of one report. Records have no key: they are the same when
 * every field is, and as many are the same as both hold (decision 26). Pages with the same checksum are left
 * out, so that an unchanged report costs little. Of what is left, records with the same date and session are
 * reported as changed. Throws `app.invalid-input` for snapshots that can't be compared.
 */
export function createComparer(
  database: Database,
): (older: Snapshot, newer: Snapshot, pause: () => Promise<void>) => Promise<Comparison> {
  const pagesOf = database.prepare<[number], ComparedPage>(
    `SELECT page_number AS pageNumber, first_seq AS firstSeq, record_count AS recordCount, records_sha256 AS recordsSha256
     FROM pages WHERE snapshot_id = ? ORDER BY page_number`,
  );
  const statements = mapKinds(DETAIL_KINDS, (kind) => ({
    row: database.prepare<[number], RecordRow>(`${selectRows(kind)} WHERE r.record_id = ?`),
    pairPlaces: RECORD_TABLES[kind].columns.flatMap(({ name }, at) =>
      PAIR_NAMES.includes(name) ? [at] : [],
    ),
  }));

  const visitValues = prepareValues(database, createStoredPages(database));

  const visitRecords = async (
    snapshot: Snapshot,
    pages: readonly ComparedPage[],
    pause: () => Promise<void>,
    visit: (digest: string, record: UnmatchedRecord) => void,
  ): Promise<void> => {
    const { pairPlaces } = statements[requireDetailKind(snapshot.report)];
    for (const page of pages) {
      let seq = page.firstSeq;
      visitValues(snapshot, page, (values, texts) => {
        const digest = hash('sha256', JSON.stringify([values, texts]), 'base64');
        visit(digest, { seq, pairKey: pairPlaces.map((at) => String(values[at])).join('|') });
        seq += 1;
      });
      await pause();
    }
  };

  return async (older, newer, pause) => {
    if (older.report !== newer.report || !isDetailKind(older.report) || older.id === newer.id) {
      throw new AppError('app.invalid-input', 'Only two detail snapshots of one report can be compared.');
    }
    const pages = leaveSamePagesOut(pagesOf.all(older.id), pagesOf.all(newer.id));
    let unchanged = pages.sameRecords;
    const lacking: RecordsByKey = new Map();
    await visitRecords(older, pages.older, pause, (digest, record) => addTo(lacking, digest, record));
    const fresh: UnmatchedRecord[] = [];
    await visitRecords(newer, pages.newer, pause, (digest, record) => {
      if (takeFrom(lacking, digest) === undefined) fresh.push(record);
      else unchanged += 1;
    });
    const pairs = pairUp([...lacking.values()].flat(), fresh);
    const toRecord = (snapshot: Snapshot, record: UnmatchedRecord | null) => {
      if (record === null) return null;
      const id = toRecordId(snapshot.id, record.seq);
      return statements[requireDetailKind(snapshot.report)].row.get(id) ?? null;
    };
    const differences = [...pairs.changed, ...pairs.removed, ...pairs.added]
      .slice(0, MAX_DIFFERENCES)
      .map((pair) => ({
        kind: toKind(pair),
        older: toRecord(older, pair.older),
        newer: toRecord(newer, pair.newer),
      }));
    const { changed, removed, added } = pairs;
    return { unchanged, changed: changed.length, removed: removed.length, added: added.length, differences };
  };
}

interface Pair {
  readonly older: UnmatchedRecord | null;
  readonly newer: UnmatchedRecord | null;
}

function toKind({ older, newer }: Pair): 'added' | 'removed' | 'changed' {
  if (older === null) return 'added';
  return newer === null ? 'removed' : 'changed';
}

function leaveSamePagesOut(
  older: readonly ComparedPage[],
  newer: readonly ComparedPage[],
): { older: ComparedPage[]; newer: ComparedPage[]; sameRecords: number } {
  const counts = new Map<string, number>();
  for (const { recordsSha256 } of older) {
    if (recordsSha256 !== null) counts.set(recordsSha256, (counts.get(recordsSha256) ?? 0) + 1);
  }
  const same = new Map<string, number>();
  let sameRecords = 0;
  const newerLeft = newer.filter(({ recordsSha256, recordCount }) => {
    const count = recordsSha256 === null ? 0 : (counts.get(recordsSha256) ?? 0);
    if (recordsSha256 === null || count === 0) return true;
    counts.set(recordsSha256, count - 1);
    same.set(recordsSha256, (same.get(recordsSha256) ?? 0) + 1);
    sameRecords += recordCount;
    return false;
  });
  const olderLeft = older.filter(({ recordsSha256 }) => {
    const count = recordsSha256 === null ? 0 : (same.get(recordsSha256) ?? 0);
    if (recordsSha256 === null || count === 0) return true;
    same.set(recordsSha256, count - 1);
    return false;
  });
  return { older: olderLeft, newer: newerLeft, sameRecords };
}

function pairUp(
  olderOnly: readonly UnmatchedRecord[],
  newerOnly: readonly UnmatchedRecord[],
): { changed: Pair[]; removed: Pair[]; added: Pair[] } {
  const waiting: RecordsByKey = new Map();
  for (const record of olderOnly) addTo(waiting, record.pairKey, record);
  const changed: Pair[] = [];
  const added: Pair[] = [];
  for (const record of newerOnly) {
    const before = takeFrom(waiting, record.pairKey);
    if (before === undefined) added.push({ older: null, newer: record });
    else changed.push({ older: before, newer: record });
  }
  const removed = [...waiting.values()]
    .flat()
    .sort((a, b) => a.seq - b.seq)
    .map((record): Pair => ({ older: record, newer: null }));
  return { changed, removed, added };
}

function addTo(all: RecordsByKey, key: string, record: UnmatchedRecord): void {
  const records = all.get(key);
  if (records === undefined) all.set(key, [record]);
  else records.push(record);
}

/** Removes and returns the first record with the key. */
function takeFrom(all: RecordsByKey, key: string): UnmatchedRecord | undefined {
  const records = all.get(key);
  const record = records?.shift();
  if (records?.length === 0) all.delete(key);
  return record;
}
