import type { PageBuffer } from './page-buffer.ts';
import { issueCursor, tryReadCursor, type CursorScope } from './page-cursor.ts';
import type { ReportSource } from './positioned-page.ts';
import { readDetailPage } from './read-detail-page.ts';
import type { ReportQuery } from './read-report-request.ts';
import type { ReportDefinition } from './report-catalog.ts';
import { readSummaryPage } from './read-summary-page.ts';

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
