import type { RecordDetail, RecordRow } from '../../../common/model/records/record.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { openCacheDatabase, toCacheError } from '../file/open-database.ts';
import { toDetail, prepareWindows } from './read-records.ts';
import { createMarkReader } from './record-marks.ts';
import { createStoredPages } from './stored-pages.ts';

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
