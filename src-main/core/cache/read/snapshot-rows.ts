import { hash } from 'node:crypto';
import { Value } from 'typebox/value';
import { AppError } from '../../../common/contract/errors.ts';
import type { Output } from '../../../common/contract/index.ts';
import {
  ImportedFrom,
  type Remark,
  type Snapshot,
  SnapshotReading,
} from '../../../common/model/cache/snapshot.ts';
import type { Period } from '../../../common/model/period.ts';
import { type RecordRow, toRecordId } from '../../../common/model/records/record.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES, requireDetailKind, selectRows } from './record-tables.ts';
import { createStoredPages, type PageRange, prepareValues } from './stored-pages.ts';

type SnapshotRow = Omit<
  Snapshot,
  | 'period'
  | 'remarks'
  | 'stillOpen'
  | 'pinned'
  | 'isLook'
  | 'verification'
  | 'settledToMs'
  | 'settledLookBackMs'
  | 'imported'
> &
  Period & {
    readonly stillOpen: number;
    readonly settledToMs: number | null;
    readonly settledLookBackMs: number | null;
    readonly pinned: number;
    readonly isLook: number;
    readonly verifiedAtMs: number | null;
    readonly damagedPages: number | null;
    /** JSON. */
    readonly imported: string | null;
  };
interface RemarkRow {
  readonly code: string;
  readonly count: number | null;
  readonly detail: string | null;
}

export interface SnapshotReader {
  /** Throws AppError `cache.snapshot-not-found`. */
  get(snapshotId: number): Snapshot;
  /** Begun last first; of one connection, or of all. */
  list(connectionId: string | null): Snapshot[];
  /** What reading its pages again changed the last time; null before the first. Throws as `get`. */
  getReading(snapshotId: number): SnapshotReading | null;
}

const SELECT = `
  SELECT snapshot_id AS id, connection_id AS connectionId, tenant, report, start_date AS startDate,
    end_date AS endDate, from_ms AS fromMs, to_ms AS toMs, zone, state, record_count AS recordCount,
    total_document AS totalDocument, page_count AS pageCount, size_bytes AS sizeBytes,
    started_at_ms AS startedAtMs, fetched_at_ms AS fetchedAtMs, id_report AS idReport,
    name_visualization AS nameVisualization, failure, still_open AS stillOpen, name, note,
    is_pinned AS pinned, is_look AS isLook, refresh_of AS refreshOf, verified_at_ms AS verifiedAtMs,
    damaged_pages AS damagedPages, reading, settled_to_ms AS settledToMs,
    settled_look_back_ms AS settledLookBackMs, imported, fetched_order AS fetchedOrder
  FROM snapshots WHERE is_removed = 0`;

/** Reads snapshots; those being removed are gone already. */
export function createSnapshotReader(database: Database): SnapshotReader {
  const one = database.prepare<[number], SnapshotRow>(`${SELECT} AND snapshot_id = ?`);
  const all = database.prepare<[string | null, string | null], SnapshotRow>(
    // A followed day that nothing has come of yet is no snapshot to anybody.
    `${SELECT} AND (? IS NULL OR connection_id = ?) AND (settled_to_ms IS NULL OR to_ms >= from_ms)
     ORDER BY snapshot_id DESC`,
  );
  const remarks = database.prepare<[number], RemarkRow>(
    'SELECT code, count, detail FROM remarks WHERE snapshot_id = ? ORDER BY code',
  );
  const reading = database
    .prepare<[number], string | null>(
      'SELECT last_reading FROM snapshots WHERE is_removed = 0 AND snapshot_id = ?',
    )
    .pluck();
  const toSnapshot = (row: SnapshotRow): Snapshot => {
    const {
      startDate,
      endDate,
      fromMs,
      toMs,
      zone,
      verifiedAtMs,
      damagedPages,
      settledToMs,
      settledLookBackMs,
      imported,
      isLook,
      ...more
    } = row;
    const origin = imported === null ? null : parseImported(imported);
    return {
      ...more,
      period: { startDate, endDate, fromMs, toMs, zone },
      stillOpen: row.stillOpen === 1,
      ...(settledToMs === null ? {} : { settledToMs }),
      ...(settledLookBackMs === null ? {} : { settledLookBackMs }),
      ...(origin === null ? {} : { imported: origin }),
      pinned: row.pinned === 1,
      ...(isLook === 1 ? { isLook: true } : {}),
      remarks: remarks.all(row.id).map(toRemark),
      verification: verifiedAtMs === null ? null : { atMs: verifiedAtMs, damagedPages: damagedPages ?? 0 },
    };
  };
  const orThrow = <Value>(snapshotId: number, found: Value | undefined): Value => {
    if (found !== undefined) return found;
    throw new AppError('cache.snapshot-not-found', 'The snapshot is not in the cache.', { snapshotId });
  };
  return {
    get: (snapshotId) => toSnapshot(orThrow(snapshotId, one.get(snapshotId))),
    list: (connectionId) => all.all(connectionId, connectionId).map(toSnapshot),
    getReading(snapshotId) {
      const text = orThrow(snapshotId, reading.get(snapshotId));
      return text === null ? null : parseReading(text);
    },
  };
}

/** What another version kept in another form is as good as nothing. */
function parseReading(text: string): SnapshotReading | null {
  const value: unknown = JSON.parse(text);
  return Value.Check(SnapshotReading, value) ? value : null;
}

function parseImported(text: string): ImportedFrom | null {
  const value: unknown = JSON.parse(text);
  return Value.Check(ImportedFrom, value) ? value : null;
}

function toRemark(row: RemarkRow): Remark {
  return {
    code: row.code,
    ...(row.count === null ? {} : { count: row.count }),
    ...(row.detail === null ? {} : { detail: row.detail }),
  };
}

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
      visitValues(snapshot, page, ({ values, texts }) => {
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
