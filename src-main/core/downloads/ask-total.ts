import type { Period } from '../../common/model/period.ts';
import { readPage } from '../../common/reporting/reading/read-page.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import { toAskedEnd } from './slice-period.ts';

/** What a small page of a period shows. */
export interface AskedTotal {
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
