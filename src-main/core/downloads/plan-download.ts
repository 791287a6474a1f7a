import type { DownloadPlan } from '../../common/model/cache/download.ts';
import type { Period } from '../../common/model/period.ts';
import type { DownloadPace } from '../cache/read/download-figures.ts';
import type { AskedTotal } from './ask-total.ts';
import { suggestSliceDays } from './slice-period.ts';

/** Earlier downloads of fewer records are no measure of speed. */
const MIN_MEASURED_RECORDS = 1000;
/** The cache keeps about what it receives, with indexes. */
const ASSUMED_DISK_SHARE = 1.2;
/** A service and a disk of common speed. */
const ASSUMED_RECORDS_PER_SECOND = 5_000;
/** Records of common length, where the period's first page holds none. */
const ASSUMED_RECORD_BYTES = 600;
/** Services often stop counting at such figures. */
const ROUND_TOTALS = new Set([1_000, 5_000, 10_000, 20_000, 50_000, 65_535, 65_536, 100_000, 1_000_000]);

/** Forecasts a download from the service's total of the period and the speed of earlier downloads. */
export function planDownload(input: {
  readonly asked: AskedTotal;
  readonly pace: DownloadPace;
  readonly pageSize: number;
  readonly period: Period;
  readonly freeBytes: number | null;
}): DownloadPlan {
  const { asked, pace, pageSize, period, freeBytes } = input;
  const { totalDocument, roundTripMs } = asked;
  const isMeasured = pace.recordCount >= MIN_MEASURED_RECORDS && pace.durationMs > 0;
  const recordBytes = isMeasured
    ? pace.receivedBytes / pace.recordCount
    : (asked.bytesPerRecord ?? ASSUMED_RECORD_BYTES);
  const recordsPerMs = isMeasured ? pace.recordCount / pace.durationMs : ASSUMED_RECORDS_PER_SECOND / 1000;
  const pageCount = totalDocument === null ? null : Math.max(1, Math.ceil(totalDocument / pageSize));
  const receivedBytes = totalDocument === null ? null : Math.round(totalDocument * recordBytes);
  const waitsMs = isMeasured ? 0 : (pageCount ?? 0) * roundTripMs;
  return {
    recordCount: totalDocument,
    isAtLeast: totalDocument !== null && ROUND_TOTALS.has(totalDocument),
    pageCount,
    receivedBytes,
    diskBytes:
      receivedBytes === null ? null : Math.round(receivedBytes * (pace.diskShare ?? ASSUMED_DISK_SHARE)),
    freeBytes,
    durationMs: totalDocument === null ? null : Math.round(totalDocument / recordsPerMs + waitsMs),
    basis: isMeasured ? 'measured' : 'assumed',
    roundTripMs,
    suggestedSliceDays: suggestSliceDays(period, pageCount),
  };
}
