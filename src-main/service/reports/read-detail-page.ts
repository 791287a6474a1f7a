import { createPageBuffer, type PageBuffer } from './page-buffer.ts';
import type { PositionedPage, ReportSource } from './positioned-page.ts';
import type { ReportQuery } from './read-report-request.ts';
import type { ReportDefinition } from './report-catalog.ts';
import { createInboundWriter, createOutboundWriter } from './write-imported.ts';

/** Imported payloads may be long: a page that reaches this is shorter than asked, and has a next one. */
const MOST_PAGE_BYTES = 32_000_000;

/** A page of records, oldest first (decision 9). */
export function readDetailPage(
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
