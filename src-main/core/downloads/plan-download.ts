import type { DownloadPlan } from '../../common/model/cache/download.ts';
import type { Period } from '../../common/model/period.ts';
import { readPage } from '../../common/reporting/reading/read-page.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import type { DownloadPace } from '../cache/read/download-rows.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import { suggestSliceDays, toAskedEnd } from './slice-period.ts';

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

/** What a small page of a period shows. */
interface AskedTotal {
  readonly totalDocument: number | null;
  /** Bytes of the response per record; null when it held none. */
  readonly bytesPerRecord: number | null;
  readonly roundTripMs: number;
}

/** Records enough for an average, few enough to be small. */
const SAMPLE_SIZE = 20;

/** Fetches a few records of a period, to read its `totalDocument`. Rejects as fetching and reading a page do. */
export async function askTotal(
  client: Pick<ReportingClient, 'fetchPage'>,
  report: DetailKind,
  period: Period,
  signal: AbortSignal,
): Promise<AskedTotal> {
  const { startDate, zone } = period;
  const request = { report, startDate, endDate: toAskedEnd(period), size: SAMPLE_SIZE, lastDocument: '' };
  const { bytes, requestedAtMs, receivedAtMs } = await client.fetchPage(request, { signal });
  const { totalDocument, recordCount } = readPage(new Uint8Array(bytes), { report, zone });
  return {
    totalDocument,
    bytesPerRecord: recordCount === 0 ? null : bytes.byteLength / recordCount,
    roundTripMs: receivedAtMs - requestedAtMs,
  };
}
