import type { Distribution } from '../../../../src-main/common/model/analysis/grouping.ts';
import type { FilterField, RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { MAX_LISTED, type RecordFields } from '../../../../src-main/common/model/records/record.ts';
import { MAX_VALUES } from '../../../../src-main/common/model/records/record-filter.ts';
import { isAbout, withoutField } from '../../../../src-main/common/query/filter-tree.ts';
import { toQueryField } from '../../../../src-main/common/query/query-fields.ts';
import { findChoice, setOnly, toggleChoice } from '../../../filters/edit-filter.ts';
import { isCounted } from '../filters/conditions.ts';

/** A value of a field, with its records. */
export interface FieldRow {
  readonly field: FilterField;
  /** As a filter names it; null or '' where there is no value. */
  readonly value: string | number | null;
  /** Of one that is left out, the records that it would add. */
  readonly count: number;
  /** Of all records shown, 0 to 1; null of one that is left out. */
  readonly share: number | null;
  /** Sessions or clients of the records, where these are shown. */
  readonly affected?: number | undefined;
}

/** A field in the panel: its most frequent values, or its times. */
export interface FieldSection {
  readonly field: FilterField;
  readonly rows: readonly FieldRow[];
  /** Different values; null of times. */
  readonly distinctCount: number | null;
  readonly times: Distribution | null;
  /** What else there is to choose from: a list of all values, or a form; null where all are shown. */
  readonly more: 'list' | 'form' | null;
}

/** Every field that records can have, in the order of the panel. */
const ORDER: readonly FilterField[] = [
  'outcome',
  'responseCode',
  'responseTimeMs',
  'errorFamily',
  'channel',
  'origin',
  'service',
  'client',
  'actionId',
  'botLatencyMs',
];

/** Returns the fields that records have, in the order of the panel. */
export function toSections({ recordCount, values, times }: RecordFields): FieldSection[] {
  const listed = values.map(({ field, values: most, distinctCount, excluded, ...none }): FieldSection => {
    const toRow = (value: FieldRow['value'], count: number, affected?: number): FieldRow => ({
      field,
      value,
      count,
      share: count / recordCount,
      affected,
    });
    const blank = toBlank(field);
    return {
      field,
      rows: [
        ...most.map(({ value, count, affected }) => toRow(value, count, affected)),
        ...(none.blankCount > 0 ? [toRow(blank, none.blankCount, none.blankAffected)] : []),
        ...excluded.map(({ value, count }) => ({ ...toRow(value ?? blank, count), share: null })),
      ],
      distinctCount,
      times: null,
      more: distinctCount <= MAX_LISTED ? null : toMore(field, distinctCount),
    };
  });
  const timed = times.map(({ field, distribution }): FieldSection => ({
    field,
    rows: [],
    distinctCount: null,
    times: distribution,
    more: distribution.times.count > 0 ? 'form' : null,
  }));
  const all = [...listed, ...timed];
  return ORDER.flatMap((field) => all.find((section) => section.field === field) ?? []);
}

function toMore(field: FilterField, distinctCount: number): 'list' | 'form' {
  return isCounted(field) && distinctCount <= MAX_VALUES ? 'list' : 'form';
}

/** No value, as a query says it. */
function toBlank(field: FilterField): '' | null {
  return toQueryField(field)?.kind === 'text' ? '' : null;
}

/** True where a filter lets only the records with a row's value through, of all values of its field. */
export function isOnly({ conditions }: RecordFilter, { field, value }: FieldRow): boolean {
  const own = conditions.filter((part) => isAbout(part, field));
  return own.length === 1 && JSON.stringify(own[0]) === JSON.stringify({ field, values: [value] });
}

/** Lets only the records with a row's value through; all of them again where it does so already. */
export function toggleOnly(filter: RecordFilter, row: FieldRow): RecordFilter {
  const { field, value } = row;
  return isOnly(filter, row) ? withoutField(filter, field) : setOnly(filter, { field, values: [value] });
}

/** True where a filter leaves a row's value out. */
export function isNot(filter: RecordFilter, { field, value }: FieldRow): boolean {
  return findChoice(filter, { field, value }) === 'excluded';
}

/** Leaves the records with a row's value out, beside what else is left out; lets them in again where they are. */
export function toggleNot(filter: RecordFilter, { field, value }: FieldRow): RecordFilter {
  return toggleChoice(filter, { field, value }, 'excluded');
}

/** What names a row among all of the panel. */
export function toRowStop({ field, value }: FieldRow): string {
  return `${field}=${JSON.stringify(value)}`;
}

/** What names the button behind the rows of a field. */
export function toMoreStop(field: FilterField): string {
  return `${field}+`;
}

/** Returns the stops of the arrow keys, from top to bottom: each field by its name, its rows, and what else it offers. */
export function listStops(sections: readonly FieldSection[], folded: ReadonlySet<string>): string[] {
  return sections.flatMap(({ field, rows, more }) => {
    if (folded.has(field)) return [field];
    return [field, ...rows.map(toRowStop), ...(more === null ? [] : [toMoreStop(field)])];
  });
}

/** Where a value lies on the bars of a distribution, 0 to 1; its buckets grow as times do. */
export function findPlace({ buckets }: Distribution, ms: number): number {
  const at = buckets.findIndex(({ toMs }) => toMs === null || ms < toMs);
  const bucket = buckets[at];
  if (bucket === undefined) return 1;
  const { fromMs, toMs } = bucket;
  const within = toMs === null ? 0.5 : (ms - fromMs) / (toMs - fromMs);
  return (at + within) / buckets.length;
}
