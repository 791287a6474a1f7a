import { useI18n } from 'vue-i18n';
import {
  type GroupKey,
  type GroupValue,
  isGroupPath,
  type Latency,
} from '../../../../src-main/common/model/analysis/grouping.ts';
import { isNamedField } from '../../../../src-main/common/model/records/body-path.ts';
import type { SummaryGroup } from '../../../../src-main/common/model/records/histogram.ts';
import type {
  FieldCondition,
  FilterPart,
  RecordFilter,
} from '../../../../src-main/common/model/records/record-filter.ts';
import { isGroup, listLeaves } from '../../../../src-main/common/query/filter-tree.ts';
import { matchesWildcard } from '../../../../src-main/common/query/text-tests.ts';
import { toVisible } from '../../../../src-main/common/words/visible-text.ts';
import { toValueConditions } from '../../../filters/filter.ts';
import { formatCount } from '../../../format/formats.ts';
import { useNames } from '../../../names/use-names.ts';
import { type Group, listFields, toErrorShare } from './group-figures.ts';

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

/** Words for values of the fields that groups have. */
export function useGroupWords() {
  const { t } = useI18n();
  const names = useNames();

  /** Returns a value by itself, as in `Channel 3`, `Web chat 3`, `web`, `No origin`. */
  function toName(field: GroupKey, value: GroupValue): string {
    if (isGroupPath(field))
      return value === null ? t('summary.path.no', { field: toVisible(field) }) : toVisible(String(value));
    if (value === null || value === '') return t(`summary.no.${field}`);
    if (field === 'channel' || field === 'service') {
      return names.find(field, value) === null
        ? t(`summary.${field}`, { value })
        : names.toText(field, value);
    }
    if (field === 'outcome') return t(`outcome.names.${value}`);
    return isNamedField(field) ? names.toText(field, value) : toVisible(String(value));
  }

  /** Returns how many values of a field there are, as in `4 origins`. */
  function toCountWords(field: GroupKey, count: number): string {
    if (isGroupPath(field))
      return t('summary.path.countOf', { count: formatCount(count), field: toVisible(field) }, count);
    return t(`summary.countOf.${field}`, { count: formatCount(count) }, count);
  }

  /** Returns a group by all of its values, as in `Channel 3, Service 7, 504`. */
  function nameGroup(group: Group): string {
    return listFields(group)
      .map((field) => toName(field, group.values[field] ?? null))
      .join(', ');
  }

  return { toName, toCountWords, nameGroup };
}

/** What a chart of bars shows of each group. */
export type BarMeasure = 'response' | 'latency' | 'errorShare';

interface MeasureBar {
  readonly value: GroupValue;
  readonly count: number;
  readonly failures: number;
  /** Milliseconds, or a share of 0 to 1. */
  readonly length: number;
  /** The 95th percentile; null where it is not known. */
  readonly p95Ms: number | null;
}

/** Returns the bars of a measure, longest first. Times are medians where they are known, else averages. */
export function toMeasureBars(
  groups: readonly Group[],
  field: GroupKey,
  measure: BarMeasure,
): readonly MeasureBar[] {
  const bars = groups.flatMap((group): MeasureBar[] => {
    const { count, failures } = group;
    const value = group.values[field] ?? null;
    if (measure === 'errorShare') {
      return [{ value, count, failures, length: toErrorShare(group), p95Ms: null }];
    }
    const times: Latency = measure === 'response' ? group.response : group.botLatency;
    const length = times.medianMs ?? times.averageMs;
    return length === null ? [] : [{ value, count, failures, length, p95Ms: times.p95Ms }];
  });
  return bars.sort((a, b) => b.length - a.length);
}

/** More would not be read; the table behind the chart has all of them. */
export const MAX_BARS = 12;
const MAX_NAME_CHARACTERS = 18;

/** Names of the bars, in full and as short as an axis needs them. */
export function useBarNames() {
  const names = useNames();
  const { toName } = useGroupWords();

  /** Returns a name, which is cut where the bars need the room. */
  function toBarName(field: GroupKey, value: GroupValue): string {
    const entry = names.find(field, value);
    if (entry === null) return cut(toName(field, value));
    return `${cut(entry.name)} ${value ?? ''}`;
  }

  return { toBarName, toFullName: toName };
}

function cut(name: string): string {
  const shown =
    name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS - 1).trimEnd()}…` : name;
  return shown.toWellFormed();
}
