import { toValueConditions } from '../../filters/edit-filter.ts';
import type {
  ComparedGroup,
  ComparedMeasure,
  ComparedQuantile,
  Comparison,
} from '../../../src-main/common/model/analysis/comparison.ts';
import type { GroupField } from '../../../src-main/common/model/analysis/grouping.ts';
import type { FieldCondition } from '../../../src-main/common/model/records/record-filter.ts';
import { roundParts } from '../../../src-main/common/statistics.ts';
import { toPrinted, type SideNames } from './compare-words.ts';
import { toCsv } from '../../format/table-text.ts';
import type { SideCaches } from './compare-choice.ts';

/** A line of the table; contributions are those that are printed. */
export interface ComparisonRow {
  readonly id: string;
  readonly group: ComparedGroup;
  readonly contribution: number | null;
  readonly rate: number | null;
  readonly mix: number | null;
}

/** A group with its parts. */
export interface ComparisonRows extends ComparisonRow {
  readonly parts: readonly ComparisonRow[];
}

/**
 * Returns the lines of the table and of all together. Printed contributions sum to the printed change, those of parts to
 * that of their group, and rate and mix to their sum, wherever all of them are listed.
 */
export function toComparisonRows(
  { total, groups, parts, unlistedCount }: Comparison,
  measure: ComparedMeasure,
): { readonly rows: readonly ComparisonRows[]; readonly total: ComparisonRow } {
  const { scale, digits } = toPrinted(measure);
  const print = (list: readonly ComparedGroup[], sum?: number): ComparisonRow[] => {
    const values = list.map(({ contribution }) => (contribution ?? 0) * scale);
    const printed = roundParts(values, digits, unlistedCount === 0 ? sum : undefined);
    return list.map((group, place) => toRow(group, printed[place] ?? 0, scale, digits));
  };
  const [all] = print([total]) as [ComparisonRow];
  const byGroup = Map.groupBy(parts, ({ key }) => JSON.stringify(key.slice(0, 1)));
  const rows = print(groups, all.contribution ?? undefined).map((row): ComparisonRows => {
    const own = byGroup.get(JSON.stringify(row.group.key)) ?? [];
    return { ...row, parts: print(own, row.contribution ?? undefined) };
  });
  return { rows, total: all };
}

function toRow(group: ComparedGroup, printed: number, scale: number, digits: number): ComparisonRow {
  const { rate, mix, key } = group;
  const row = { id: JSON.stringify(key), group };
  if (group.contribution === null) return { ...row, contribution: null, rate: null, mix: null };
  if (rate === null || mix === null) return { ...row, contribution: printed, rate: null, mix: null };
  const [ofRate = 0, ofMix = 0] = roundParts([rate * scale, mix * scale], digits, printed);
  return { ...row, contribution: printed, rate: ofRate, mix: ofMix };
}

/** Returns the conditions that the records of a group meet. */
export function toConditions(fields: readonly GroupField[], { key }: ComparedGroup): FieldCondition[] {
  return key.flatMap((value, place): FieldCondition[] => {
    const field = fields[place];
    return field === undefined ? [] : toValueConditions(field, value, true);
  });
}

/** Returns the figure of a side that the table shows beside its requests; null where it has none. */
export function toSideFigure(
  { count, failures, medianMs, p95Ms }: ComparedGroup['before'],
  measure: ComparedMeasure,
  quantile: ComparedQuantile,
): number | null {
  if (measure === 'volume') return null;
  if (measure === 'response') return quantile === 'median' ? medianMs : p95Ms;
  return count === 0 ? null : failures / count;
}

/** Returns the ends of the scale that the intervals of some groups are drawn on; zero lies on it. */
export function toWhiskerScale(groups: readonly ComparedGroup[]): {
  readonly low: number;
  readonly high: number;
} {
  const ends = groups.flatMap(({ interval }) => (interval === null ? [] : [interval.low, interval.high]));
  return { low: Math.min(0, ...ends), high: Math.max(0, ...ends) };
}

const COLUMNS = [
  'count',
  'failures',
  'failedSessions',
  'failedClients',
  'timed',
  'averageMs',
  'medianMs',
  'p95Ms',
] as const;
const FIGURES = ['difference', 'contribution', 'rate', 'mix'] as const;

/** Returns a comparison as CSV: groups, then their parts, then all together, with every figure as it was computed. */
export function toComparisonCsv(
  { total, groups, parts }: Comparison,
  fields: readonly GroupField[],
  cached: SideCaches,
  names: SideNames,
): string {
  const titles = toTitles(names);
  const head = [
    ...fields,
    ...(['before', 'after'] as const).flatMap((side) => COLUMNS.map((name) => `${titles[side]}.${name}`)),
    ...['difference', 'low', 'high', 'certainty', 'contribution', 'rate', 'mix'],
  ];
  const columns = head.map((name) => ({ name, kind: 'text' }));
  return toCsv(
    columns,
    [...groups, ...parts, total].map((group) => toCells(group, fields, cached, titles)),
  );
}

type Titles = Readonly<Record<'before' | 'after', string>>;

/** What the columns of each side begin with: two connections of one name are told apart by a number. */
function toTitles({ kind, before, after }: SideNames): Titles {
  if (kind === 'periods') return { before: 'before', after: 'after' };
  return before === after ? { before: `${before} 1`, after: `${after} 2` } : { before, after };
}

function nameCertainty(certainty: ComparedGroup['certainty'], titles: Titles): string {
  if (certainty === 'only-before') return `only-${titles.before}`;
  return certainty === 'only-after' ? `only-${titles.after}` : certainty;
}

function toCells(
  group: ComparedGroup,
  fields: readonly GroupField[],
  cached: SideCaches,
  titles: Titles,
): (string | number | null)[] {
  const { interval, certainty } = group;
  const isKnown = cached.before !== 'none' && cached.after !== 'none';
  const [difference, ...rest] = FIGURES.map((name) => group[name]);
  return [
    ...fields.map((_, place) => group.key[place] ?? null),
    ...(['before', 'after'] as const).flatMap((side) =>
      COLUMNS.map((name) => (cached[side] === 'none' ? null : group[side][name])),
    ),
    ...[
      difference ?? null,
      interval?.low ?? null,
      interval?.high ?? null,
      isKnown ? nameCertainty(certainty, titles) : null,
    ],
    ...rest,
  ];
}
