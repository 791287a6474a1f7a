import { AppError } from '../../../common/contract/errors.ts';
import { toJsonTexts } from '../../../common/json/exact-json.ts';
import type { RecordDetail, RecordRow } from '../../../common/model/records/record.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { CONTENT_NAMES } from '../../../common/reporting/field-values.ts';
import { DETAIL_KINDS, mapKinds } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { selectRows, requireDetailKind } from './record-tables.ts';
import { createStoredPages, type StoredTexts } from './stored-pages.ts';

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
