import { isDetailKind, isSummaryKind } from '../../common/reporting/reports.ts';
import { issueCursor, tryReadCursor, type CursorScope } from './page-cursor.ts';
import { readDetailPage } from './read-detail-page.ts';
import type { ReportQuery } from './read-report-request.ts';
import { readSummaryPage } from './read-summary-page.ts';
import type { ServedReport } from './report-catalog.ts';
import type { ReportPage, ReportSource } from './report-page.ts';

/** Reads a page. Returns undefined when this report did not issue `lastDocument` for this period (decision 6). */
export async function tryExecuteReport(
  source: ReportSource,
  { idReport, kinds }: ServedReport,
  query: ReportQuery,
): Promise<ReportPage | undefined> {
  const { tenant, cursorKey } = source;
  const scope: CursorScope = { tenant, idReport, fromMs: query.fromMs, toMs: query.toMs };
  const position = query.lastDocument === '' ? [] : tryReadCursor(cursorKey, scope, query.lastDocument);
  if (position === undefined) return undefined;
  const detailKind = kinds.find(isDetailKind);
  const { next, ...page } =
    detailKind === undefined
      ? await readSummaryPage(source, kinds.filter(isSummaryKind), query, position)
      : await readDetailPage(source, detailKind, query, position);
  return { ...page, lastDocument: next === null ? '' : issueCursor(cursorKey, scope, next) };
}
