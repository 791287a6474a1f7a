import {
  ERROR_GROUPINGS,
  type ErrorFigures,
} from '../../../../src-main/common/model/records/error-family.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { setOnly, toggleChoice } from '../../../filters/edit-filter.ts';

/** What errors are grouped by: how they read, or a field. */
export const GROUPINGS = ['errorFamily', ...ERROR_GROUPINGS] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A group of errors: a family by its pattern, another one by its value. */
export interface ErrorRow extends ErrorFigures {
  readonly value: string | number | null;
}

/** Returns the filter that leaves nothing but the errors of a group, or everything besides. */
export function toGroupFilter(
  filter: RecordFilter,
  field: Grouping,
  value: ErrorRow['value'],
  exclude: boolean,
): RecordFilter {
  if (exclude) return toggleChoice(filter, { field, value }, 'excluded');
  const own = setOnly(filter, { field, values: [value] });
  // A code, a channel or a service has records without an error too.
  return field === 'errorFamily' ? own : setOnly(own, { field: 'errorFamily', values: [''], exclude: true });
}
