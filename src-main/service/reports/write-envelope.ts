import type { RequestFault } from '../../common/reporting/wire-schemas.ts';
import type { ReportPage } from './execute-report.ts';
import type { ReportDefinition } from './report-catalog.ts';

/** Specification, section "Report response envelope", as JSON. `executionTimeMs` is what the query took. */
export function writeEnvelope(report: ReportDefinition, page: ReportPage, executionTimeMs: number): Buffer {
  const head =
    `${writeHead(report, true, executionTimeMs)},"totalDocument":${page.totalDocument},"pageCount":null` +
    `,"lastDocument":"${page.lastDocument}","documents":[`;
  return page.documents.finish(head, ']}');
}

/** The envelope of a refused request (decision 6). */
export function writeRefusal(
  report: ReportDefinition,
  errors: readonly RequestFault[],
  executionTimeMs: number,
): string {
  return (
    `${writeHead(report, false, executionTimeMs)},"totalDocument":0,"pageCount":null` +
    `,"lastDocument":"","documents":[],"errors":${JSON.stringify(errors)}}`
  );
}

function writeHead(report: ReportDefinition, isValid: boolean, executionTimeMs: number): string {
  return (
    `{"isValid":${isValid ? 'true' : 'false'},"executionTime":${Math.round(executionTimeMs * 1000) / 1000}` +
    `,"idReport":"${report.idReport}","nameVisualization":"${report.name}"`
  );
}
