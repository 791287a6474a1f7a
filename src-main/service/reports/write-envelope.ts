import type { RequestFault } from '../../common/reporting/wire-schemas.ts';
import { finishPage } from './page-buffer.ts';
import type { ServedReport } from './report-catalog.ts';
import type { ReportPage } from './report-page.ts';

/** Specification, section "Report response envelope", as JSON. `executionTimeMs` is what the query took. */
export function writeEnvelope(report: ServedReport, page: ReportPage, executionTimeMs: number): Buffer {
  const head =
    `${writeHead(report, true, executionTimeMs)},"totalDocument":${page.totalDocument},"pageCount":null` +
    `,"lastDocument":"${page.lastDocument}","documents":[`;
  return finishPage(page.documents, head, ']}');
}

/** The envelope of a refused request (decision 6). */
export function writeRefusal(
  report: ServedReport,
  errors: readonly RequestFault[],
  executionTimeMs: number,
): string {
  return (
    `${writeHead(report, false, executionTimeMs)},"totalDocument":0,"pageCount":null` +
    `,"lastDocument":"","documents":[],"errors":${JSON.stringify(errors)}}`
  );
}

function writeHead(report: ServedReport, isValid: boolean, executionTimeMs: number): string {
  return (
    `{"isValid":${isValid ? 'true' : 'false'},"executionTime":${Math.round(executionTimeMs * 1000) / 1000}` +
    `,"idReport":"${report.idReport}","nameVisualization":"${report.name}"`
  );
}
