import type { RecordDetail, RecordRow } from '../../../common/model/record.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { toDetail } from './read-detail.ts';
import { prepareWindows } from './read-window.ts';
import { createStoredPages } from './stored-pages.ts';

/** The limit of a batch, since payloads may be long; one record alone may exceed it. */
const MAX_BATCH_CHARACTERS = 8_000_000;

export interface ExportBatch {
  readonly report: DetailKind;
  /** Ids of the records wanted, in their order. */
  readonly ids: readonly number[];
  readonly includePayload: boolean;
}

type MeasuredRow = RecordRow & { readonly textLength: number };

/** Prepares the reading of export batches: whole records, the first of those wanted, at least one while there are any. */
export function createExportReader(database: Database): (batch: ExportBatch) => RecordDetail[] {
  const readRows = prepareWindows<MeasuredRow>(database, ', r.text_length AS textLength');
  const pages = createStoredPages(database);
  return ({ report, ids, includePayload }) => {
    const found = readRows(report, ids);
    let characters = 0;
    const tooMany = found.findIndex(({ textLength }, place) => {
      characters += textLength;
      return place > 0 && characters > MAX_BATCH_CHARACTERS;
    });
    const rows = tooMany === -1 ? found : found.slice(0, tooMany);
    const texts = pages.readTextsOf(ids.slice(0, rows.length));
    return rows.flatMap((row, place) => {
      const own = texts[place];
      if (own === undefined) return [];
      return toDetail(row, includePayload ? own : { ...own, payload: '', response: null }, Infinity);
    });
  };
}
