import type { RecordStore } from '../store/record-store.ts';
import { createPageBuffer, type PageBuffer } from './page-buffer.ts';
import { issueCursor, tryReadCursor, type CursorScope } from './page-cursor.ts';
import type { ReportQuery } from './read-report-request.ts';
import type { ReportDefinition } from './report-catalog.ts';
import { readSummaryPage } from './read-summary-page.ts';
import { createInboundWriter, createOutboundWriter } from './write-imported.ts';

/** What a report needs besides the request. */
export interface ReportSource {
  readonly store: RecordStore;
  readonly tenant: number;
  readonly seed: number;
  readonly cursorKey: Buffer;
}

/** Imported payloads may be long: a page that reaches this is shorter than asked, and has a next one. */
const MOST_PAGE_BYTES = 32_000_000;

/** A page of a report; documents are written as JSON, separated by commas. */
export interface ReportPage {
  readonly documents: PageBuffer;
  readonly totalDocument: number;
  /** Empty once no further page exists (decision 8). */
  readonly lastDocument: string;
}

/** Reads a page. Undefined when `lastDocument` was not issued by this report for this period (decision 6). */
export function tryExecuteReport(
  source: ReportSource,
  report: ReportDefinition,
  query: ReportQuery,
): ReportPage | undefined {
  const scope: CursorScope = {
    tenant: source.tenant,
    idReport: report.idReport,
    fromMs: query.fromMs,
    toMs: query.toMs,
  };
  const after = query.lastDocument === '' ? [] : tryReadCursor(source.cursorKey, scope, query.lastDocument);
  if (after === undefined) return undefined;
  const read = report.kind === 'detail' ? readDetailPage : readSummaryPage;
  const page = read(source, report, query, after);
  return {
    documents: page.documents,
    totalDocument: page.totalDocument,
    lastDocument: page.next === null ? '' : issueCursor(source.cursorKey, scope, page.next),
  };
}

/** A page before its cursor is written; `next` is the position of its last document, null on the last page. */
export interface PositionedPage {
  readonly documents: PageBuffer;
  readonly totalDocument: number;
  readonly next: readonly number[] | null;
}

function readDetailPage(
  { store, seed }: ReportSource,
  report: ReportDefinition,
  query: ReportQuery,
  after: readonly number[],
): PositionedPage {
  const [dateMs = query.fromMs, arrival = 0] = after;
  const direction = report.directions[0] ?? 'inbound';
  const { details } = store;
  // One more than asked tells whether a further page exists.
  const limit = query.size + 1;
  const from = { dateMs, arrival };
  const totalDocument = store.counter.count(direction, query.fromMs, query.toMs);
  if (direction === 'inbound') {
    const rows = details.readInbound(from, query.toMs, limit);
    return toPage(rows, query.size, totalDocument, createInboundWriter(store, seed));
  }
  const rows = details.readOutbound(from, query.toMs, limit);
  return toPage(rows, query.size, totalDocument, createOutboundWriter(store, seed));
}

function toPage<Row extends { readonly dateMs: number; readonly arrival: number }>(
  rows: readonly Row[],
  size: number,
  totalDocument: number,
  write: (page: PageBuffer, row: Row) => void,
): PositionedPage {
  const documents = createPageBuffer(Math.min(size, rows.length));
  let last: Row | undefined;
  let isCut = false;
  for (const row of rows) {
    isCut = last !== undefined && (row === rows[size] || documents.length >= MOST_PAGE_BYTES);
    if (isCut) break;
    if (last !== undefined) documents.write(',');
    write(documents, row);
    last = row;
  }
  return {
    documents,
    totalDocument,
    next: isCut && last !== undefined ? [last.dateMs, last.arrival] : null,
  };
}
