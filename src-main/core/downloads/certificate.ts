import type { Certificate, CertificateFile } from '../../common/model/cache/download.ts';
import { isStated, STATED_REMARK, type Remark } from '../../common/model/cache/snapshot.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import type { DownloadRow, JournalFigures } from '../cache/read/download-rows.ts';
import { toAskedEnd } from './slice-period.ts';
import { listShortcomings } from './walk-report.ts';

/** Remarks about cursors, pages and totals; every other one is a deviation that was accepted in the records. */
const WALK_REMARKS = new Set([
  'cursor-repeated',
  'cursor-expired',
  'page-repeated',
  'short-page',
  'total-changed',
  'fewer-than-total',
  'more-than-total',
  'total-missing',
  'end-not-stated',
  'pages-overlap',
  'ended-without-page',
  'seen-at-cut',
  'before-period',
  'after-period',
  'fewer-than-forecast',
  'more-than-forecast',
  'changed-meanwhile',
  'interrupted',
]);

/** Remarks that a complete download is only complete with: they are said together with it (decision 8). */
const RESERVED = [
  'total-missing',
  'more-than-total',
  'more-than-forecast',
  'total-changed',
  'record-unreadable',
] as const;

const HOW_TO_RECOMPUTE =
  "pagesSha256 is the SHA-256, in hex, of the values of pageSha256 in their order, each followed by a line feed. A page's own value is the SHA-256 of the bytes of the response as received.";

/** The certificate of what a download requested and received, from the snapshot and the journal of its pages. */
export function toCertificate(row: DownloadRow, journal: JournalFigures): Certificate {
  const { snapshot } = row;
  const slices = journal.slices.map((figures) => {
    const { pageCount, recordCount, firstTotal, lastTotal } = figures;
    const period = figures.asked ?? snapshot.period;
    const asked = { startDate: period.startDate, endDate: toAskedEnd(period) };
    return { ...asked, pageCount, recordCount, firstTotal, lastTotal };
  });
  const isOfWalk = ({ code }: Remark): boolean => WALK_REMARKS.has(code);
  // Earlier versions called some downloads complete to which fewer records came than were announced.
  // Nor does anything certify what a person states.
  const isComplete =
    snapshot.state === 'complete' && listShortcomings(snapshot).length === 0 && !isStated(snapshot);
  const firstTotal = addUp(slices.map((slice) => slice.firstTotal));
  const lastTotal = addUp(slices.map((slice) => slice.lastTotal));
  return {
    format: 'channelscope-download-certificate',
    version: 2,
    snapshotId: snapshot.id,
    serviceAddress: row.baseAddress,
    tenant: snapshot.tenant,
    report: snapshot.report as DetailKind,
    reportIdentifier: row.reportIdentifier,
    idReport: snapshot.idReport,
    nameVisualization: snapshot.nameVisualization,
    period: snapshot.period,
    sliceDays: row.sliceDays,
    slices,
    pageCount: snapshot.pageCount,
    recordCount: snapshot.recordCount,
    receivedBytes: snapshot.sizeBytes,
    firstTotal,
    lastTotal,
    setAsideCount: journal.setAsideCount,
    coercions: snapshot.remarks.filter((remark) => !isOfWalk(remark)),
    remarks: snapshot.remarks.filter(isOfWalk),
    state: snapshot.state,
    isComplete,
    reasons: isComplete ? [] : listReasons(row),
    reservations: isComplete ? listReservations(snapshot.remarks, lastTotal) : [],
    stillOpen: snapshot.stillOpen,
    resumedCount: row.resumedCount,
    startedAtMs: snapshot.startedAtMs,
    firstPageAtMs: journal.firstPageAtMs,
    lastPageAtMs: journal.lastPageAtMs,
    pagesSha256: journal.pagesSha256,
  };
}

/** The certificate with the checksum of each page in full, so that anyone who has the pages can compute it again. */
export function toCertificateFile(row: DownloadRow, journal: JournalFigures): CertificateFile {
  const { pageSha256 } = journal;
  return { ...toCertificate(row, journal), howToRecompute: HOW_TO_RECOMPUTE, pageSha256 };
}

/** A name for the certificate's file, with characters that every system takes. */
export function toCertificateFileName({ report, period, snapshotId }: Certificate): string {
  const date = (text: string): string => text.replaceAll(/[^0-9]+/g, '-');
  return `certificate-${report}-${date(period.startDate)}-to-${date(period.endDate)}-${snapshotId}.json`;
}

function listReasons({ snapshot, failure, state }: DownloadRow): string[] {
  const codes = [
    ...(failure === null ? [] : [failure.code]),
    ...(snapshot.failure === null ? [] : [snapshot.failure]),
    ...listShortcomings(snapshot),
    ...snapshot.remarks.map(({ code }) => code).filter((code) => END_REASONS.has(code)),
    ...(state === 'ended' ? [] : [state]),
  ];
  return [...new Set(codes)];
}

const END_REASONS = new Set(['changed-meanwhile', 'interrupted', STATED_REMARK]);

function listReservations(remarks: readonly Remark[], lastTotal: number | null): Remark[] {
  const found = RESERVED.flatMap((code) => remarks.find((remark) => remark.code === code) ?? []);
  // Earlier versions did not remark it.
  const isUnsaid = lastTotal === null && !found.some(({ code }) => code === 'total-missing');
  return isUnsaid ? [{ code: 'total-missing' }, ...found] : found;
}

function addUp(totals: readonly (number | null)[]): number | null {
  const known = totals.filter((total) => total !== null);
  return known.length === 0 ? null : known.reduce((sum, total) => sum + total, 0);
}
