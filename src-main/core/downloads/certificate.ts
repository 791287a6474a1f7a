import type { Certificate } from '../../common/model/download.ts';
import type { Remark } from '../../common/model/snapshot.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import type { JournalFigures } from '../cache/read/download-figures.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import { slicePeriod } from './slice-period.ts';

/** Remarks about cursors, pages and totals; every other one is a deviation that was accepted in the records. */
const WALK_REMARKS = new Set([
  'cursor-repeated',
  'cursor-expired',
  'page-repeated',
  'short-page',
  'total-changed',
  'fewer-than-total',
  'more-than-total',
  'changed-meanwhile',
  'interrupted',
]);

/** The certificate of what a download requested and received, from the snapshot and the journal of its pages. */
export function toCertificate(row: DownloadRow, journal: JournalFigures): Certificate {
  const { snapshot } = row;
  const periods = slicePeriod(snapshot.period, row.sliceDays);
  const slices = journal.slices.map(({ sliceNumber, pageCount, recordCount, firstTotal, lastTotal }) => {
    const { startDate, endDate } = periods[sliceNumber] ?? snapshot.period;
    return { startDate, endDate, pageCount, recordCount, firstTotal, lastTotal };
  });
  const isOfWalk = ({ code }: Remark): boolean => WALK_REMARKS.has(code);
  const isComplete = snapshot.state === 'complete';
  return {
    format: 'channelscope-download-certificate',
    version: 1,
    snapshotId: snapshot.id,
    serviceAddress: row.baseAddress,
    tenant: snapshot.tenant,
    report: snapshot.report as DetailKind,
    idReport: snapshot.idReport,
    nameVisualization: snapshot.nameVisualization,
    period: snapshot.period,
    sliceDays: row.sliceDays,
    slices,
    pageCount: snapshot.pageCount,
    recordCount: snapshot.recordCount,
    receivedBytes: snapshot.sizeBytes,
    firstTotal: addUp(slices.map(({ firstTotal }) => firstTotal)),
    lastTotal: addUp(slices.map(({ lastTotal }) => lastTotal)),
    setAsideCount: journal.setAsideCount,
    coercions: snapshot.remarks.filter((remark) => !isOfWalk(remark)),
    remarks: snapshot.remarks.filter(isOfWalk),
    state: snapshot.state,
    isComplete,
    reasons: isComplete ? [] : listReasons(row),
    stillOpen: snapshot.stillOpen,
    resumedCount: row.resumedCount,
    startedAtMs: snapshot.startedAtMs,
    firstPageAtMs: journal.firstPageAtMs,
    lastPageAtMs: journal.lastPageAtMs,
    pagesSha256: journal.pagesSha256,
  };
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
    ...snapshot.remarks.map(({ code }) => code).filter((code) => END_REASONS.has(code)),
    ...(state === 'ended' ? [] : [state]),
  ];
  return [...new Set(codes)];
}

const END_REASONS = new Set(['cursor-repeated', 'page-repeated', 'changed-meanwhile', 'interrupted']);

function addUp(totals: readonly (number | null)[]): number | null {
  const known = totals.filter((total) => total !== null);
  return known.length === 0 ? null : known.reduce((sum, total) => sum + total, 0);
}
