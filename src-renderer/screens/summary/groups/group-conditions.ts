import type { GroupField, GroupValue } from '../../../../src-main/common/model/analysis/grouping.ts';
import type {
  FieldCondition,
  RecordFilter,
} from '../../../../src-main/common/model/records/record-filter.ts';
import type { SummaryGroup } from '../../../../src-main/common/model/records/summary.ts';
import { listFields, type Group } from './group-figures.ts';

type GroupCondition = FieldCondition & { readonly field: 'channel' | 'service' };

/** True for a condition on a channel or a service; others don't apply to groups. */
export function isOnGroups(condition: FieldCondition): condition is GroupCondition {
  return condition.field === 'channel' || condition.field === 'service';
}

/** Returns the groups of the channels and services that a filter lets through. */
export function restrictGroups(
  groups: readonly SummaryGroup[],
  { conditions }: RecordFilter,
): readonly SummaryGroup[] {
  const applied = conditions.filter(isOnGroups);
  return groups.filter((group) =>
    applied.every((condition) => isMet(condition, group[condition.field]) !== (condition.exclude === true)),
  );
}

function isMet({ values = [], min, max }: FieldCondition, value: number | null): boolean {
  if (values.includes(value)) return true;
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

/** Returns the conditions that the records with a value of a field meet: none where a report doesn't say it. */
export function toValueConditions(
  field: GroupField,
  value: GroupValue,
  isMeasured: boolean,
): FieldCondition[] {
  if (value !== null) return [{ field, values: [value] }];
  if (field === 'responseCode') return [{ field, classes: ['none'] }];
  return isMeasured ? [{ field, values: [null] }] : [];
}
