import type { Names } from '../../../names/use-names.ts';
import {
  ERROR_GROUPINGS,
  type ErrorFigures,
} from '../../../../src-main/common/model/records/error-family.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { setOnly, toggleChoice } from '../../../filters/filter.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';

/** Whole numbers in rising order, three or more in a row as a range: `1–4, 7`. */
export function formatNumbers(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs
    .flatMap(([first, last]) => {
      if (last === first) return [`${first}`];
      return last === first + 1 ? [`${first}`, `${last}`] : [`${first}–${last}`];
    })
    .join(', ');
}

/** Those with a person's own name for them first, then the others as numbers. */
export function formatNamed(
  numbers: readonly number[],
  field: string,
  names: Pick<Names, 'find' | 'toText'>,
): string {
  const named = numbers.filter((number) => names.find(field, number) !== null);
  const others = numbers.filter((number) => !named.includes(number));
  return [...named.map((number) => names.toText(field, number)), formatNumbers(others)]
    .filter((text) => text !== '')
    .join(', ');
}

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

/** Returns the places of those of a span's equal parts that lie within gaps. */
export function listUnknown({ fromMs, toMs }: TimeSpan, count: number, gaps: readonly TimeSpan[]): number[] {
  const lengthMs = (toMs - fromMs) / count;
  return Array.from({ length: count }, (_, place) => place).filter((place) => {
    const [beginMs, endMs] = [fromMs + place * lengthMs, fromMs + (place + 1) * lengthMs];
    return gaps.some((gap) => gap.fromMs <= beginMs && gap.toMs >= endMs);
  });
}
