import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { withoutChosenTimes } from '../../../../src-main/common/query/filter-tree.ts';
import { NO_FILTER } from '../../../filters/edit-filter.ts';

/** Records that are compared with the rest of those that a filter leaves. */
export interface Selection {
  readonly kind: 'time' | 'filter';
  readonly selection: RecordFilter;
  readonly filter: RecordFilter;
}

/**
 * Returns what of a filter is the selection: its time, which is compared with the other times of the same records; without
 * one all of it, which is compared with all other records. Null for a filter that chooses nothing.
 */
export function splitSelection(filter: RecordFilter): Selection | null {
  const rest = withoutChosenTimes(filter);
  const times = filter.conditions.filter((condition) => !rest.conditions.includes(condition));
  if (times.length > 0) return { kind: 'time', selection: { conditions: times }, filter: rest };
  return rest.conditions.length === 0 ? null : { kind: 'filter', selection: filter, filter: NO_FILTER };
}
