import { CONTENT_NAMES, countContent } from '../../../common/reporting/field-values.ts';
import { DETAIL_KINDS, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
import type { RecordDetail } from '../../../common/model/record.ts';
import type { Database } from '../../../node/open-database.ts';
import { toDetail, type StoredRecord } from './read-detail.ts';
import { prepareWindows } from './read-window.ts';
import { TEXT_COLUMNS } from './record-tables.ts';

/** The limit of a batch, since payloads may be long; it may be exceeded by one step. */
const MAX_BATCH_CHARACTERS = 8_000_000;
const STEP_ROWS = 100;
const NO_TEXTS = mapKinds(
  DETAIL_KINDS,
  () => `${CONTENT_NAMES.map((name) => `, '' AS ${name}`).join('')}, t.extra`,
);

export interface ExportBatch {
  readonly report: DetailKind;
  /** Ids of the records wanted, in their order. */
  readonly ids: readonly number[];
  readonly includePayload: boolean;
}

/** Prepares the reading of export batches: whole records, the first of those wanted, at least one while there are any. */
export function createExportReader(database: Database): (batch: ExportBatch) => RecordDetail[] {
  const whole = prepareWindows<StoredRecord>(database, TEXT_COLUMNS);
  const narrow = prepareWindows<StoredRecord>(database, NO_TEXTS);
  return ({ report, ids, includePayload }) => {
    const read = includePayload ? whole : narrow;
    const rows: RecordDetail[] = [];
    let characters = 0;
    while (rows.length < ids.length && characters < MAX_BATCH_CHARACTERS) {
      const step = read(report, ids.slice(rows.length, rows.length + STEP_ROWS));
      for (const row of step) {
        const record = toDetail(row, Infinity);
        characters += countContent(record);
        rows.push(record);
      }
    }
    return rows;
  };
}
