import { useI18n } from 'vue-i18n';
import type {
  ComparedGroup,
  ComparedMeasure,
  ComparedQuantile,
  Comparison,
} from '../../../src-main/common/model/analysis/comparison.ts';
import type { GroupField, GroupValue } from '../../../src-main/common/model/analysis/grouping.ts';
import type { Histogram } from '../../../src-main/common/model/records/histogram.ts';
import type { FieldCondition } from '../../../src-main/common/model/records/record-filter.ts';
import { CODE_CLASSES, type CodeClass } from '../../../src-main/common/model/records/record.ts';
import { roundParts } from '../../../src-main/common/statistics.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { toVisible } from '../../../src-main/common/words/visible-text.ts';
import type { PlotArea } from '../../charts/chart-marks.ts';
import { toSpanBoxes } from '../../charts/histogram/histogram-bars.ts';
import { toValueConditions } from '../../filters/filter.ts';
import {
  formatCount,
  formatDuration,
  formatRoundPercent,
  formatSigned,
  toSign,
} from '../../format/formats.ts';
import { toCsv } from '../../format/table-text.ts';
import { useNames } from '../../names/use-names.ts';
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

/** Errors stand at the axis, where both sides can be compared. */
const FROM_AXIS: readonly CodeClass[] = ['5xx', '4xx', 'none', '3xx', '2xx'];
const MIN_GAP_PX = 3;

/** A bar of one class, in pixels from the top left of the plot. */
export interface TwinBar {
  readonly codeClass: CodeClass;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the most requests that a bucket of either side holds. */
export function findTwinPeak(...sides: readonly Histogram[]): number {
  const sums = sides.flatMap(({ buckets }) => buckets.map(({ counts }) => counts.reduce((a, b) => a + b, 0)));
  return Math.max(0, ...sums);
}

/** Returns the number of buckets that both sides are drawn in. */
export function countTwinBuckets(after: Histogram, before: Histogram): number {
  return Math.max(after.buckets.length, before.buckets.length);
}

/** Returns the bars of both sides on one scale: `after` rises from the axis in the middle, `before` hangs from it. */
export function toTwinBars(
  after: Histogram,
  before: Histogram,
  size: { readonly widthPx: number; readonly halfPx: number; readonly top: number },
): readonly TwinBar[] {
  const { widthPx, halfPx, top } = size;
  const places = countTwinBuckets(after, before);
  if (places === 0 || top <= 0 || widthPx <= 0) return [];
  const toBars = (histogram: Histogram, isAbove: boolean): TwinBar[] =>
    histogram.buckets.flatMap(({ counts }, place) => {
      const left = Math.round((place * widthPx) / places);
      const right = Math.round(((place + 1) * widthPx) / places);
      const width = right - left - (right - left > MIN_GAP_PX ? 1 : 0);
      let reached = 0;
      return FROM_AXIS.flatMap((codeClass): TwinBar[] => {
        const count = counts[CODE_CLASSES.indexOf(codeClass)] ?? 0;
        if (count === 0) return [];
        const start = (reached * halfPx) / top;
        const height = (count * halfPx) / top;
        reached += count;
        return [{ codeClass, left, top: isAbove ? halfPx - start - height : halfPx + start, width, height }];
      });
    });
  return [...toBars(after, true), ...toBars(before, false)];
}

/** Parts of both sides' periods that are not cached. */
export interface TwinGaps {
  readonly before: readonly TimeSpan[];
  readonly after: readonly TimeSpan[];
}

/** Returns where each side's gaps lie in its half, in pixels from the top left of the plot. */
export function toTwinGaps(
  after: Histogram,
  before: Histogram,
  gaps: TwinGaps,
  { widthPx, halfPx }: { readonly widthPx: number; readonly halfPx: number },
): readonly PlotArea[] {
  const places = countTwinBuckets(after, before);
  if (places === 0 || widthPx <= 0) return [];
  const toBoxes = ({ buckets }: Histogram, own: readonly TimeSpan[], top: number): PlotArea[] =>
    toSpanBoxes(buckets, own, { widthPx: (widthPx * buckets.length) / places, heightPx: halfPx }).map(
      (box) => ({ ...box, top }),
    );
  return [...toBoxes(after, gaps.after, 0), ...toBoxes(before, gaps.before, halfPx)];
}

/** From this factor on a ratio says more than a percentage. */
const MIN_FACTOR = 3;

/** A difference in the unit of its measure: points of a share, requests, or milliseconds. */
export function formatDifference(measure: ComparedMeasure, difference: number): string {
  if (measure === 'error-share') return formatSigned(difference * 100, 1);
  if (measure === 'volume') return formatSigned(difference, 0);
  return `${toSign(difference)}${formatDuration(Math.abs(difference))}`;
}

/** Both ends of an interval; one that is not zero never reads as zero, since it says how sure a difference is. */
export function formatInterval(
  measure: ComparedMeasure,
  { low, high }: { readonly low: number; readonly high: number },
): readonly [string, string] {
  const format = (end: number): string => {
    const isHidden = measure === 'error-share' && end !== 0 && Math.abs(end) < 0.0005;
    return isHidden ? formatSigned(end * 100, 2) : formatDifference(measure, end);
  };
  return [format(low), format(high)];
}

/** How a number changed: `+20.3%`, `5.9×`; null where there was nothing before. */
export function formatRatio(before: number | null, after: number | null): string | null {
  if (before === null || after === null || before <= 0) return null;
  const ratio = after / before;
  if (ratio >= MIN_FACTOR) return `${formatCount(ratio, 1)}×`;
  const change = ratio - 1;
  return `${toSign(change * 100, 1)}${formatRoundPercent(Math.abs(change), 1)}`;
}

/** Decimals that contributions are printed with: points with one, requests and milliseconds with none. */
export function toPrinted(measure: ComparedMeasure): { readonly scale: number; readonly digits: number } {
  return measure === 'error-share'
    ? { scale: 100, digits: 1 }
    : { scale: 1, digits: measure === 'volume' ? 0 : 1 };
}

/** What the two sides are, and what each is called: its period in words, or its connection. */
export interface SideNames {
  /** Two connections in one period are no change in time, and are spoken of otherwise. */
  readonly kind: 'periods' | 'connections';
  readonly before: string;
  readonly after: string;
}

/** Returns the heading of a side: before or after, or its connection. */
export function useSideTitle(): (names: SideNames, side: 'before' | 'after') => string {
  const { t } = useI18n();
  return (names, side) => (names.kind === 'connections' ? names[side] : t(`comparison.sides.${side}`));
}

/**
 * Returns what a group is called: a person's own name, or its value with the word for its field. Names belong to one
 * connection, so that groups of two have none.
 */
export function useGroupWords(readKind: () => SideNames['kind']) {
  const { t } = useI18n();
  const names = useNames();
  return (field: GroupField, value: GroupValue): string => {
    if (value === null) return t(`comparison.noValue.${field}`);
    if (field === 'outcome') return t(`outcome.names.${value}`);
    const isNamed = readKind() === 'periods' && names.find(field, value) !== null;
    if (isNamed) return names.toText(field, value);
    return t(`comparison.value.${field}`, { value: toVisible(String(value)) });
  };
}

/** How much of a change one group makes up. */
const AMOUNTS = [
  ['nearly-all', 0.9],
  ['most', 0.5],
  ['part', 0.25],
] as const;

/** What a sentence about a change says. */
interface ChangeStatement {
  readonly trend: 'rose' | 'fell' | 'same' | 'chance' | 'unknown';
  /** The group that made up most of it; null where none stands out. */
  readonly cause: {
    readonly group: ComparedGroup;
    readonly amount: (typeof AMOUNTS)[number][0];
    /** Its own figure rose or fell, or its part of all requests did. */
    readonly how: 'rate-up' | 'rate-down' | 'mix-up' | 'mix-down';
  } | null;
}

/** Returns the measure of both sides that the sentence is about: a share, a count, or the average response time. */
export function toFigures(
  { before, after }: ComparedGroup,
  measure: ComparedMeasure,
): { readonly before: number | null; readonly after: number | null } {
  const read = ({ count, failures, averageMs }: ComparedGroup['before']): number | null => {
    if (measure === 'response') return averageMs;
    if (measure === 'volume') return count;
    return count === 0 ? null : failures / count;
  };
  return { before: read(before), after: read(after) };
}

/** Returns what changed, and which group did it. */
export function stateChange({ total, groups }: Comparison, measure: ComparedMeasure): ChangeStatement {
  const change = total.contribution;
  const { before, after } = toFigures(total, measure);
  if (change === null || before === null || after === null) return { trend: 'unknown', cause: null };
  if (change === 0) return { trend: 'same', cause: null };
  if (measure === 'error-share' && total.certainty === 'open') return { trend: 'chance', cause: null };
  return { trend: change > 0 ? 'rose' : 'fell', cause: findCause(groups, change) };
}

function findCause(groups: readonly ComparedGroup[], change: number): ChangeStatement['cause'] {
  // Of all that moved the same way: others may have moved against it.
  const along = groups.reduce(
    (sum, group) => sum + Math.max(0, (group.contribution ?? 0) * Math.sign(change)),
    0,
  );
  const shareOf = (group: ComparedGroup): number => ((group.contribution ?? 0) * Math.sign(change)) / along;
  const [first] = groups.toSorted((a, b) => shareOf(b) - shareOf(a));
  const amount = AMOUNTS.find(([, least]) => first !== undefined && shareOf(first) >= least)?.[0];
  if (first === undefined || amount === undefined) return null;
  const { rate, mix, contribution } = first;
  const isRate = rate === null || mix === null || Math.abs(rate) >= Math.abs(mix);
  if (isRate) return { group: first, amount, how: (contribution ?? 0) > 0 ? 'rate-up' : 'rate-down' };
  const shareBefore =
    first.before.count /
    Math.max(
      1,
      groups.reduce((sum, one) => sum + one.before.count, 0),
    );
  const shareAfter =
    first.after.count /
    Math.max(
      1,
      groups.reduce((sum, one) => sum + one.after.count, 0),
    );
  return { group: first, amount, how: shareAfter > shareBefore ? 'mix-up' : 'mix-down' };
}
