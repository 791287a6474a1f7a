import { hash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import { parseExactly, toJsonTexts } from '../../../common/json.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { Summary, SummaryGroup } from '../../../common/model/records/histogram.ts';
import {
  type RecordDetail,
  type RecordMark,
  type RecordRow,
  toRecordId,
} from '../../../common/model/records/record.ts';
import { CONTENT_NAMES } from '../../../common/reporting/field-names.ts';
import { readPage } from '../../../common/reporting/reading/read-page.ts';
import { DETAIL_KINDS, type DetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { isDamagedPage, openCacheDatabase, toCacheError } from '../file/open-database.ts';
import { GROUP_COLUMNS, RECORD_TABLES, requireDetailKind, selectRows } from './record-tables.ts';
import { toDigested } from '../write/insert-records.ts';
import { createStoredPages, type PageRange, type StoredTexts } from './stored-pages.ts';

/** Of a longer text only the beginning leaves the thread, unless all of it is asked for. */
const MAX_TEXT_CHARACTERS = 1_000_000;

/** Prepares the reading of one whole record; throws AppError `cache.snapshot-not-found` where there is none. */
export function createDetailReader(
  database: Database,
): (snapshot: Pick<Snapshot, 'id' | 'report'>, seq: number, isWhole?: boolean) => RecordDetail {
  const statements = mapKinds(DETAIL_KINDS, (kind) =>
    database.prepare<[number], RecordRow>(`${selectRows(kind)} WHERE r.record_id = ?`),
  );
  const pages = createStoredPages(database, { hasExactExtras: true });
  return (snapshot, seq, isWhole = false) => {
    const id = toRecordId(snapshot.id, seq);
    const row = statements[requireDetailKind(snapshot.report)].get(id);
    const [texts] = row === undefined ? [] : pages.readTextsOf([id]);
    if (row === undefined || texts === undefined) {
      throw new AppError('cache.snapshot-not-found', 'The record is not in the cache.', {
        snapshotId: snapshot.id,
        seq,
      });
    }
    return toDetail(row, texts, isWhole ? Infinity : MAX_TEXT_CHARACTERS);
  };
}

/** A record with its long texts, which are cut at a number of characters; how long those were is told then. */
function toDetail(row: RecordRow, texts: StoredTexts, limit: number): RecordDetail {
  const { payload, response } = texts;
  const extra = toJsonTexts(texts.extra);
  const detail: RecordDetail = { ...row, payload, response, extra, payloadLength: payload.length };
  for (const name of CONTENT_NAMES) {
    const text = detail[name];
    if (text === null || text.length <= limit) continue;
    detail[name] = text.slice(0, limit);
    detail.cutLengths = { ...detail.cutLengths, [name]: text.length };
  }
  return detail;
}

/** Reads the rows with these ids, in their order. */
type WindowReader<Row> = (report: DetailKind, ids: readonly number[]) => Row[];

/**
 * Prepares the reading of windows: look-ups by key, or one range where the rows lie side by side. Throws
 * AppError `cache.view-closed` when rows are gone because the snapshot was removed.
 */
export function prepareWindows<Row extends RecordRow>(database: Database, more = ''): WindowReader<Row> {
  const statements = mapKinds(DETAIL_KINDS, (kind) => {
    const select = selectRows(kind, more);
    return {
      one: database.prepare<[number], Row>(`${select} WHERE r.record_id = ?`),
      range: database.prepare<[number, number], Row>(
        `${select} WHERE r.record_id BETWEEN ? AND ? ORDER BY r.record_id`,
      ),
    };
  });
  return (report, ids) => {
    const { one, range } = statements[report];
    const [first = 0] = ids;
    const last = ids.at(-1) ?? 0;
    const isRange = ids.length > 1 && isSideBySide(ids);
    const rows = isRange
      ? range.all(Math.min(first, last), Math.max(first, last))
      : ids.flatMap((id) => one.get(id) ?? []);
    if (rows.length !== ids.length) throw new AppError('cache.view-closed', 'The rows of the view are gone.');
    return isRange && first > last ? rows.reverse() : rows;
  };
}

function isSideBySide(ids: readonly number[]): boolean {
  const step = (ids[1] ?? 0) - (ids[0] ?? 0);
  if (step !== 1 && step !== -1) return false;
  return ids.every((id, index) => index === 0 || id - (ids[index - 1] ?? 0) === step);
}

type SummaryPage = PageRange & { readonly executionTimeMs: number | null };

/**
 * Prepares the reading of the groups that the service reported. What is no field of the report is read from the pages as
 * received.
 */
export function createSummaryReader(database: Database): (snapshot: Snapshot) => Summary {
  const read = database.prepare<[number], SummaryGroup>(
    `SELECT ${GROUP_COLUMNS.map(({ column, name }) => `${column} AS ${name}`).join(', ')}
     FROM summary_groups WHERE snapshot_id = ? ORDER BY seq`,
  );
  const pagesOf = database.prepare<[number], SummaryPage>(
    `SELECT page_number AS pageNumber, first_seq AS firstSeq, record_count AS recordCount,
       execution_time_ms AS executionTimeMs
     FROM pages WHERE snapshot_id = ? ORDER BY page_number`,
  );
  const bodies = createStoredPages(database);

  /** The groups of a page as read today; none where its bytes are damaged, since the groups are there without it. */
  const readFresh = ({ id, report }: Snapshot, pageNumber: number): readonly SummaryGroup[] => {
    try {
      const bytes = bodies.readBody(id, pageNumber);
      return readPage(bytes, { report, zone: 'UTC', hasExactExtras: true }).groups;
    } catch (error) {
      const isRefused = error instanceof AppError && error.code.startsWith('client.');
      if (isRefused || isDamagedPage(error)) return [];
      throw error;
    }
  };

  return (snapshot) => {
    const groups = read.all(snapshot.id);
    const pages = pagesOf.all(snapshot.id);
    for (const { pageNumber, firstSeq } of pages) {
      for (const [at, { extra, count, sessionId }] of readFresh(snapshot, pageNumber).entries()) {
        const group = groups[firstSeq + at];
        const isSame = group?.count === count && group.sessionId === sessionId.toWellFormed();
        if (extra !== undefined && isSame) group.extra = extra;
      }
    }
    const times = pages.flatMap(({ executionTimeMs }) => executionTimeMs ?? []);
    return {
      source: 'reported',
      snapshotId: snapshot.id,
      groups,
      requestCount: groups.reduce((sum, { count }) => sum + count, 0),
      executionTimeMs: times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0),
    };
  };
}

/** The limit of a batch, since payloads may be long; one record alone may exceed it. */
const MAX_BATCH_CHARACTERS = 8_000_000;
/** Rows read between two looks at the limit. */
const STEP_ROWS = 1000;

interface ExportBatch {
  readonly report: DetailKind;
  /** Ids of the records wanted, in their order. */
  readonly ids: readonly number[];
  readonly includePayload: boolean;
  readonly includeMarks?: boolean;
}

type MeasuredRow = RecordRow & { readonly textLength: number };

/** Prepares the reading of export batches: whole records, the first of those wanted, at least one while there are any. */
export function createExportReader(database: Database): (batch: ExportBatch) => RecordDetail[] {
  const readRows = prepareWindows<MeasuredRow>(database, ', r.text_length AS textLength');
  const pages = createStoredPages(database, { hasExactExtras: true });
  const { addMarks } = createMarkReader(database);
  return ({ report, ids, includePayload, includeMarks = false }) => {
    const plain = readUpToLimit((step) => readRows(report, step), ids);
    const rows = includeMarks ? addMarks(plain) : plain;
    const texts = pages.readTextsOf(ids.slice(0, rows.length));
    return rows.flatMap((row, place) => {
      const own = texts[place];
      if (own === undefined) return [];
      return toDetail(row, includePayload ? own : { ...own, payload: '', response: null }, Infinity);
    });
  };
}

/** The first rows whose texts keep to the limit of a batch, at least one. */
function readUpToLimit(read: (ids: readonly number[]) => MeasuredRow[], ids: readonly number[]): RecordRow[] {
  const rows: RecordRow[] = [];
  let characters = 0;
  for (let start = 0; start < ids.length; start += STEP_ROWS) {
    for (const { textLength, ...row } of read(ids.slice(start, start + STEP_ROWS))) {
      characters += textLength;
      if (rows.length > 0 && characters > MAX_BATCH_CHARACTERS) return rows;
      rows.push(row);
    }
  }
  return rows;
}

/** Opens the cache, read-only, for the thread that writes its records into a file; close it when done. Throws `cache.*`. */
export function openExportRecords(file: string): {
  readRecords(batch: ExportBatch): RecordDetail[];
  toAppError(error: unknown): unknown;
  close(): void;
} {
  try {
    const database = openCacheDatabase(file, 'read');
    return {
      readRecords: createExportReader(database),
      toAppError: toCacheError,
      close: () => void database.close(),
    };
  } catch (error) {
    throw toCacheError(error);
  }
}

type MarkedSnapshot = Pick<Snapshot, 'id' | 'connectionId' | 'report'>;

/** What a record and its mark are found by: the mark is the record's if their digests agree as well. */
interface MarkKey {
  readonly sessionId: string;
  readonly dateText: string;
  readonly digest: string;
}

/** The marks of a report of a connection, as far as records are looked up by them. */
interface MarkedRecord {
  readonly sessionId: string;
  readonly dateMs: number | null;
}

/**
 * The key of a record: records are the same when every field is, those that the specification doesn't know included
 * (decision 26).
 */
export function toMarkKey(record: RecordDetail, report: DetailKind): MarkKey {
  const table = RECORD_TABLES[report];
  const { sessionId, dateText, payloadLength } = record;
  const extra = Object.fromEntries(
    Object.entries(record.extra).map(([name, text]) => [name, parseExactly(text)]),
  );
  const values = table.columns.map(({ name }) => record[name]);
  const digested = toDigested(table, values, { ...record, extra });
  const digest = hash('sha256', JSON.stringify([digested, payloadLength]), 'base64');
  return { sessionId, dateText, digest };
}

/** Prepares the look-up of marks. */
export function createMarkReader(database: Database) {
  // One that is hidden for now has its rows, and an open view may still show them.
  const findSnapshot = database.prepare<[number], MarkedSnapshot>(
    'SELECT snapshot_id AS id, connection_id AS connectionId, report FROM snapshots WHERE snapshot_id = ?',
  );
  const readDetail = createDetailReader(database);
  const hasAny = database.prepare<[], number>('SELECT 1 FROM record_marks LIMIT 1').pluck();
  const find = database.prepare<[string, string, string, string], RecordMark & { digest: string }>(
    `SELECT digest, mark, note FROM record_marks
     WHERE connection_id = ? AND report = ? AND session_id = ? AND date_text = ?`,
  );
  const list = database.prepare<[string, string], MarkedRecord>(
    `SELECT session_id AS sessionId, date_ms AS dateMs FROM record_marks WHERE connection_id = ? AND report = ?`,
  );

  const findMark = (row: RecordRow, snapshot: MarkedSnapshot): RecordMark | null => {
    const { connectionId, report } = snapshot;
    const candidates = find.all(connectionId, report, row.sessionId, row.dateText);
    if (candidates.length === 0) return null;
    try {
      const { digest } = toMarkKey(readDetail(snapshot, row.seq), requireDetailKind(report));
      const found = candidates.find((candidate) => candidate.digest === digest);
      return found === undefined ? null : { mark: found.mark, note: found.note };
    } catch (error) {
      // Whose texts can't be read is not known to be the marked record.
      if (isDamagedPage(error)) return null;
      throw error;
    }
  };

  return {
    list: (connectionId: string, report: DetailKind): MarkedRecord[] => list.all(connectionId, report),
    /** Returns the rows, those that are marked with their marks. */
    addMarks<Row extends RecordRow>(rows: Row[]): Row[] {
      if (rows.length === 0 || hasAny.get() === undefined) return rows;
      const known = new Map<number, MarkedSnapshot | undefined>();
      return rows.map((row) => {
        const snapshot = known.get(row.snapshotId) ?? findSnapshot.get(row.snapshotId);
        known.set(row.snapshotId, snapshot);
        const mark = snapshot === undefined ? null : findMark(row, snapshot);
        return mark === null ? row : { ...row, mark };
      });
    },
  };
}
