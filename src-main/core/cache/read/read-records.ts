import { AppError } from '../../../common/contract/errors.ts';
import { toJsonTexts } from '../../../common/json.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { type RecordDetail, type RecordRow, toRecordId } from '../../../common/model/records/record.ts';
import type { Summary, SummaryGroup } from '../../../common/model/records/histogram.ts';
import { CONTENT_NAMES } from '../../../common/reporting/field-names.ts';
import { readPage } from '../../../common/reporting/reading/read-page.ts';
import { DETAIL_KINDS, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { isDamagedPage } from '../file/open-database.ts';
import { selectRows, requireDetailKind, GROUP_COLUMNS } from './record-tables.ts';
import { createStoredPages, type StoredTexts, type PageRange } from './stored-pages.ts';

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
export function toDetail(row: RecordRow, texts: StoredTexts, limit: number): RecordDetail {
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
