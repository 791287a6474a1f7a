import type {
  FieldCondition,
  FilterPart,
  RecordFilter,
} from '../../../../src-main/common/model/records/record-filter.ts';
import { isGroup, listLeaves } from '../../../../src-main/common/query/filter-tree.ts';
import { matchesWildcard } from '../../../../src-main/common/query/text-tests.ts';
import type { SummaryGroup } from '../../../../src-main/common/model/records/histogram.ts';
import { toValueConditions } from '../../../filters/edit-filter.ts';
import { listFields, type Group } from './group-figures.ts';

/** True for what is said of channels and services alone; all else doesn't apply to groups. */
export function isOnGroups(part: FilterPart): boolean {
  return listLeaves({ conditions: [part] }).every(
    ({ field, regex }) => (field === 'channel' || field === 'service') && regex === undefined,
  );
}

/** Returns the groups of the channels and services that a filter lets through. */
export function restrictGroups(
  groups: readonly SummaryGroup[],
  { conditions }: RecordFilter,
): readonly SummaryGroup[] {
  const applied = conditions.filter(isOnGroups);
  return groups.filter((group) => applied.every((part) => isMet(part, group)));
}

function isMet(part: FilterPart, group: SummaryGroup): boolean {
  const holds = isGroup(part)
    ? part.any.some(({ conditions }) => conditions.every((own) => isMet(own, group)))
    : holdsFor(part, part.field === 'channel' ? group.channel : group.service);
  return holds !== (part.exclude === true);
}

function holdsFor({ values = [], min, max, wildcard }: FieldCondition, value: number | null): boolean {
  if (values.includes(value)) return true;
  if (wildcard !== undefined && value !== null && matchesWildcard(String(value), wildcard)) return true;
  const hasRange = min !== undefined || max !== undefined;
  return hasRange && value !== null && value >= (min ?? -Infinity) && value <= (max ?? Infinity);
}

/** Returns the conditions that the records of a group meet. What a report doesn't say restricts nothing. */
export function toConditions(group: Group, isComputed: boolean): FieldCondition[] {
  const isMeasured = isComputed && group.summary === undefined;
  return listFields(group).flatMap((field) =>
    toValueConditions(field, group.values[field] ?? null, isMeasured),
  );
}
