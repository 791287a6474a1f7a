import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { toErrorsStatement, toRecordsStatement } from '../../../src-main/common/sql/view-statements.ts';
import type { Detail } from './use-detail.ts';

/** Returns what is shown, the records or their errors in groups, as a statement of SQL. */
export function toShownStatement(
  { filter, order, zone, periodScope, grouping }: Detail,
  direction: Direction,
  tab: 'records' | 'errors',
  view: { readonly rowCount: number } | null,
): string {
  const { fromMs, toMs } = periodScope ?? { fromMs: 0, toMs: 0 };
  const clock = { zone, fromMs, toMs };
  if (tab === 'errors') return toErrorsStatement(direction, filter, clock, grouping);
  return toRecordsStatement({ direction, filter, order, rowCount: view?.rowCount ?? 0, clock });
}
