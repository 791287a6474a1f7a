import type { ConnectionDraft } from '../../common/model/connections/connection.ts';
import type { PageRequest } from '../../common/model/cache/download.ts';
import { toReportPath } from '../../common/reporting/paths.ts';
import type { ReportRequest } from '../../common/reporting/wire-schemas.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import type { AskedPage } from '../cache/read/page-journal.ts';
import { toAskedEnd } from './slice-period.ts';

/**
 * The request that brought a page, without its token. A cache from before identifier, address and size were kept has
 * none: then those of the connection as it is now stand for them, and `isKept` is false.
 */
export function toPageRequest(
  row: DownloadRow,
  page: AskedPage,
  connection: Pick<ConnectionDraft, 'baseAddress' | 'pageSize' | 'reportIdentifiers'>,
): PageRequest {
  const { snapshot, baseAddress, reportIdentifier } = row;
  const slice = page.asked ?? snapshot.period;
  const path = toReportPath(
    snapshot.tenant,
    reportIdentifier === '' ? connection.reportIdentifiers[snapshot.report] : reportIdentifier,
  );
  const body: ReportRequest = {
    startDate: slice.startDate,
    endDate: toAskedEnd(slice),
    size: page.sizeAsked ?? connection.pageSize,
    lastDocument: page.cursorSent,
  };
  return {
    method: 'POST',
    address: `${baseAddress === '' ? connection.baseAddress : baseAddress}${path}`,
    body: JSON.stringify(body),
    isKept: baseAddress !== '' && reportIdentifier !== '' && page.sizeAsked !== null,
  };
}
