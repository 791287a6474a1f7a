import type { Remark } from '../../../common/model/cache/snapshot.ts';
import { toEndMs, type Period } from '../../../common/model/period.ts';

/**
 * A remark when records are dated outside the requested period: the service then reads its dates in
 * another zone than it writes, or than the connection is set to.
 */
export function findOutside(
  records: readonly { readonly dateMs: number | null }[],
  period: Period,
): Remark[] {
  let count = 0;
  for (const { dateMs } of records) {
    if (dateMs !== null && (dateMs < period.fromMs || dateMs >= toEndMs(period))) count += 1;
  }
  return count === 0 ? [] : [{ code: 'dates-outside-period', count }];
}
