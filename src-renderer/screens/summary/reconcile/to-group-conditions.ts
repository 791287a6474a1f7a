import type { DifferingGroup } from '../../../../src-main/common/model/analysis/reconciliation.ts';
import type { FieldCondition } from '../../../../src-main/common/model/records/record-filter.ts';

const FIELDS = ['channel', 'service', 'origin'] as const;

/** Returns the conditions that the records of a group meet. */
export function toGroupConditions(
  group: Pick<DifferingGroup, (typeof FIELDS)[number] | 'responseCode'>,
): FieldCondition[] {
  const known = FIELDS.flatMap((field): FieldCondition[] => {
    const value = group[field];
    return value === null ? [] : [{ field, values: [value] }];
  });
  const { responseCode } = group;
  const code = responseCode === null ? { classes: ['none' as const] } : { values: [responseCode] };
  return [...known, { field: 'responseCode', ...code }];
}
