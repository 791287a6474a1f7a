import type { DetailKind } from '../../common/reporting/reports.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import { askTotal } from './ask-total.ts';

/** Remarks of records that were announced for the period and are not among those that are kept. */
const ANNOUNCED_TOO = ['record-unreadable', 'before-period', 'after-period'];

/**
 * Returns how many records the service announces for the whole period of a download that is fetched in slices: requested
 * once, before the first of them, and kept; null where it is not known. Throws as `askTotal` does.
 */
export async function readForecast(
  cache: Pick<Cache, 'keepForecast'>,
  client: Pick<ReportingClient, 'fetchPage'>,
  row: DownloadRow,
  signal: AbortSignal,
): Promise<number | null> {
  const { id, report, period, pageCount } = row.snapshot;
  if (row.sliceCount === 1 || pageCount > 0) return row.forecastTotal;
  const whole = { ...period, startDate: row.askedStart === '' ? period.startDate : row.askedStart };
  const { totalDocument } = await askTotal(client, report as DetailKind, whole, signal);
  if (totalDocument !== null) await cache.keepForecast({ snapshotId: id, total: totalDocument });
  return totalDocument;
}

/** Remarks on a download where other records came in its slices than were announced for the whole period. */
export async function compareWithForecast(
  cache: Pick<Cache, 'addDownloadRemark'>,
  { snapshot, forecastTotal }: DownloadRow,
): Promise<void> {
  if (forecastTotal === null || forecastTotal === 0) return;
  const others = snapshot.remarks.filter(({ code }) => ANNOUNCED_TOO.includes(code));
  const received = others.reduce((sum, { count = 0 }) => sum + count, snapshot.recordCount);
  if (received === forecastTotal) return;
  const remark = received < forecastTotal ? 'fewer-than-forecast' : 'more-than-forecast';
  await cache.addDownloadRemark({
    snapshotId: snapshot.id,
    remark,
    detail: `${received} / ${forecastTotal}`,
  });
}
