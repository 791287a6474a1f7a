import { REPORT_KINDS, REPORTS, type ReportKind } from '../../common/reporting/reports.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { PageBuffer } from './page-buffer.ts';

/** A report as it is requested. Kinds that share an identifier are served as one report (decision 11). */
export interface ServedReport {
  readonly idReport: string;
  readonly name: string;
  /** Inbound first. */
  readonly kinds: readonly ReportKind[];
}

/** The reports of the service; the outbound summary shares an identifier unless it has one of its own. */
export function createReportCatalog(outboundSummaryId: string | null): readonly ServedReport[] {
  const byIdentifier = Map.groupBy(REPORT_KINDS, (kind) =>
    kind === 'outbound-summary' && outboundSummaryId !== null
      ? outboundSummaryId.toUpperCase()
      : REPORTS[kind].identifier,
  );
  return Array.from(byIdentifier, ([idReport, kinds]) => {
    const [only, ...others] = kinds;
    const name = only === undefined || others.length > 0 ? 'Health summary' : REPORTS[only].title;
    return { idReport, name, kinds };
  });
}

/** Finds a report by its identifier in any letter case (decision 20). */
export function findReport(catalog: readonly ServedReport[], identifier: string): ServedReport | undefined {
  const wanted = identifier.toUpperCase();
  return catalog.find((report) => report.idReport === wanted);
}

/** What a report needs besides the request. */
export interface ReportSource {
  readonly store: RecordStore;
  readonly tenant: number;
  readonly seed: number;
  readonly cursorKey: Buffer;
}

/** A page before its cursor is written; `next` is the position of its last document, null on the last page. */
export interface PositionedPage {
  /** JSON, separated by commas. */
  readonly documents: PageBuffer;
  readonly totalDocument: number;
  readonly next: readonly number[] | null;
}

export interface ReportPage extends Omit<PositionedPage, 'next'> {
  /** Empty once no further page exists (decision 8). */
  readonly lastDocument: string;
}
