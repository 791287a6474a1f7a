import { REPORTS, type DetailKind } from '../../common/reporting/reports.ts';
import { writeText } from '../../node/text-bytes.ts';
import { createPageBuffer, getLength } from './page-buffer.ts';
import type { ReportQuery } from './read-report-request.ts';
import type { PositionedPage, ReportSource } from './report-page.ts';
import { createRecordDocumentWriter } from './write-documents.ts';

/** A page whose texts, once escaped, reach this is shorter than requested, and has a next one. */
const MAX_PAGE_BYTES = 32_000_000;
const EXPECTED_RECORD_BYTES = 440;

/** Reads a page of records, oldest first (decision 9). A position is the date and arrival of a record. */
export async function readDetailPage(
  { store, seed }: ReportSource,
  kind: DetailKind,
  { fromMs, toMs, size }: ReportQuery,
  position: readonly number[],
): Promise<PositionedPage> {
  const [dateMs, arrival = 0] = position;
  const after = dateMs === undefined ? null : { dateMs, arrival };
  const { direction } = REPORTS[kind];
  const { records, total, hasMore } = await store.readDetailPage(direction, {
    fromMs,
    toMs,
    after,
    limit: size,
  });
  const documents = createPageBuffer(records.length * EXPECTED_RECORD_BYTES);
  const write = createRecordDocumentWriter(kind, seed);
  let written = 0;
  for (const record of records) {
    if (getLength(documents) >= MAX_PAGE_BYTES) break;
    if (written > 0) writeText(documents, ',');
    write(documents, record);
    written += 1;
  }
  const last = hasMore || written < records.length ? records[written - 1] : undefined;
  return {
    documents,
    totalDocument: total,
    next: last === undefined ? null : [last.dateMs, last.arrival],
  };
}
