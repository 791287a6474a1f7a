import type { ConnectionDraft } from '../../common/model/connection.ts';
import type { PageRequest } from '../../common/model/download.ts';
import { toReportPath } from '../../common/reporting/paths.ts';
import type { ReportRequest } from '../../common/reporting/wire-schemas.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import type { AskedPage } from '../cache/read/page-journal.ts';
import { slicePeriod } from './slice-period.ts';

/**
 * The request that brought a page, without its token. The report identifier is that of the connection as it is now, as
 * are the address and the size where a cache of before they were kept has none (`isKept` is false then).
 */
export function toPageRequest(
  row: DownloadRow,
  page: AskedPage,
  connection: Pick<ConnectionDraft, 'baseAddress' | 'pageSize' | 'reportIdentifiers'>,
): PageRequest {
  const { snapshot, baseAddress, sliceDays } = row;
  const { startDate, endDate } = slicePeriod(snapshot.period, sliceDays)[page.sliceNumber] ?? snapshot.period;
  const path = toReportPath(snapshot.tenant, connection.reportIdentifiers[snapshot.report]);
  const body: ReportRequest = {
    startDate,
    endDate,
    size: page.sizeAsked ?? connection.pageSize,
    lastDocument: page.cursorSent,
  };
  return {
    method: 'POST',
    address: `${baseAddress === '' ? connection.baseAddress : baseAddress}${path}`,
    body: JSON.stringify(body),
    isKept: baseAddress !== '' && page.sizeAsked !== null,
  };
}
