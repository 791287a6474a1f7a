import type { Remark } from '../../common/model/snapshot.ts';
import type { Period } from '../../common/model/period.ts';

/** The end of a period is a whole second (decision 5). */
const END_MS = 1000;

/**
 * A remark when records are dated outside the period that was asked for: the service then reads its dates in
 * another zone than it writes, or than the connection is set to.
 */
export function findOutside(
  records: readonly { readonly dateMs: number | null }[],
  period: Period,
): Remark[] {
  let count = 0;
  for (const { dateMs } of records) {
    if (dateMs !== null && (dateMs < period.fromMs || dateMs >= period.toMs + END_MS)) count += 1;
  }
  return count === 0 ? [] : [{ code: 'dates-outside-period', count }];
}
