import type { FilterPart, RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { isAbout } from '../../../../src-main/common/query/filter-tree.ts';
import { NO_FILTER } from '../../../filters/edit-filter.ts';

/** Records that are compared with the rest of those that a filter leaves. */
export interface Selection {
  readonly kind: 'time' | 'area' | 'filter';
  readonly selection: RecordFilter;
  readonly filter: RecordFilter;
}

const isChosenTime = (part: FilterPart): boolean => part.exclude !== true && isAbout(part, 'dateMs');
/** How long records took, and that this is known. */
const isDuration = (part: FilterPart): boolean =>
  isAbout(part, 'responseTimeMs') || isAbout(part, 'botLatencyMs');

/**
 * Returns what of a filter is the selection: its time, which is compared with the other times of the same records, or with
 * `isArea` what it says of times and of how long records took; without one all of it, which is compared with all other
 * records. Null for a filter that chooses nothing.
 */
export function splitSelection(filter: RecordFilter, isArea = false): Selection | null {
  const { conditions } = filter;
  if (conditions.length === 0) return null;
  const hasDuration = isArea && conditions.some(isDuration);
  const isChosen = (part: FilterPart): boolean => isChosenTime(part) || (hasDuration && isDuration(part));
  const chosen = conditions.filter(isChosen);
  if (chosen.length === 0) return { kind: 'filter', selection: filter, filter: NO_FILTER };
  return {
    kind: hasDuration ? 'area' : 'time',
    selection: { conditions: chosen },
    filter: { conditions: conditions.filter((part) => !isChosen(part)) },
  };
}
