import { CONTENT_NAMES, countContent } from '../../../common/reporting/field-values.ts';
import { DETAIL_KINDS, mapKinds } from '../../../common/reporting/reports.ts';
import type { RecordDetail } from '../../../common/model/record.ts';
import type { Database } from '../../../node/open-database.ts';
import type { RowList } from '../scan/materialise-view.ts';
import { toDetail, type StoredRecord } from './read-detail.ts';
import { prepareWindows } from './read-window.ts';
import { TEXT_COLUMNS } from './record-tables.ts';

/** Limits of a batch, since payloads may be long; it may exceed the characters by one step. */
const MAX_BATCH_ROWS = 2000;
const MAX_BATCH_CHARACTERS = 8_000_000;
const STEP_ROWS = 100;
const NO_TEXTS = mapKinds(
  DETAIL_KINDS,
  () => `${CONTENT_NAMES.map((name) => `, '' AS ${name}`).join('')}, t.extra`,
);

export interface ExportBatch {
  readonly view: RowList;
  readonly start: number;
  readonly includePayload: boolean;
}

/** Prepares the reading of export batches: whole records from a place of a view on, at least one while there are any. */
export function createExportReader(database: Database): (batch: ExportBatch) => RecordDetail[] {
  const whole = prepareWindows<StoredRecord>(database, TEXT_COLUMNS);
  const narrow = prepareWindows<StoredRecord>(database, NO_TEXTS);
  return ({ view, start, includePayload }) => {
    const read = includePayload ? whole : narrow;
    const rows: RecordDetail[] = [];
    let characters = 0;
    while (rows.length < MAX_BATCH_ROWS && characters < MAX_BATCH_CHARACTERS) {
      const from = start + rows.length;
      const step = read(view, from, from + STEP_ROWS).map((row) => toDetail(row, Infinity));
      for (const row of step) characters += countContent(row);
      rows.push(...step);
      if (step.length < STEP_ROWS) break;
    }
    return rows;
  };
}
