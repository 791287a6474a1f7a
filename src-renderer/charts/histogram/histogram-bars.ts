import type {
  HistogramSeries,
  Histogram,
  HistogramBucket,
} from '../../../src-main/common/model/records/histogram.ts';
import type { CodeClass } from '../../../src-main/common/model/records/record.ts';
import {
  isBodyField,
  NAME_COLOURS,
  type NameColour,
} from '../../../src-main/common/model/records/body-path.ts';
import { type PlotArea, toBoxPaths, toStepPath } from '../chart-marks.ts';
import type { ChartColour } from '../chart-style.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import type { BucketRange } from '../brush.ts';
import { useI18n } from 'vue-i18n';
import { toVisible } from '../../../src-main/common/words/visible-text.ts';
import { spellPattern } from '../../components/errors/pattern-parts.ts';
import { useNames } from '../../names/use-names.ts';
import { formatCount } from '../../format/formats.ts';

/** Colours that values are told apart by: `--cs-value-1` and those after it. */
const VALUE_KEYS = [
  'value1',
  'value2',
  'value3',
  'value4',
  'value5',
  'value6',
  'value7',
  'value8',
  'value9',
  'value10',
  'value11',
  'value12',
] as const satisfies readonly ChartColour[];

/** The attributes that give an element the colour of a series: `--cs-class`. */
export interface SeriesColour {
  readonly 'data-class'?: CodeClass;
  readonly 'data-series'?: string;
}

/** Returns the same colour for what is drawn on a canvas. */
export function toChartColour(colour: SeriesColour): ChartColour {
  const { 'data-class': codeClass, 'data-series': series } = colour;
  if (codeClass !== undefined) return codeClass;
  if (series === 'none') return 'hatch';
  return NAME_COLOURS.find((name) => name === series) ?? VALUE_KEYS[Number(series) - 1] ?? 'others';
}

/** The place of the colour that each value was given, by the value as text. */
export type ColourMemory = Map<string, number>;

/**
 * Returns the colours of series in their order. Records without a value are paler than all others. A value has the colour that a person gave it, or else one that it keeps:
 * what it was given is noted in `memory`, whichever series are shown besides. Of two values that were never shown
 * together and have the same, the more frequent one keeps it.
 */
export function toSeriesColours(
  series: readonly HistogramSeries[],
  memory: ColourMemory,
  findOwn: (value: string | number) => NameColour | null,
): readonly SeriesColour[] {
  const shown = new Set<number>();
  return series.map((one) => {
    if (one.kind === 'class') return { 'data-class': one.codeClass };
    if (one.kind === 'others') return { 'data-series': 'others' };
    if (one.value === null) return { 'data-series': 'none' };
    const own = findOwn(one.value);
    if (own !== null) return { 'data-series': own };
    const key = String(one.value);
    const before = memory.get(key);
    const place = before === undefined || shown.has(before) ? findFree(shown, memory) : before;
    if (before === undefined) memory.set(key, place);
    shown.add(place);
    return { 'data-series': String(place + 1) };
  });
}

/** The first colour that is not shown, of those that the fewest values have. */
function findFree(shown: ReadonlySet<number>, memory: ColourMemory): number {
  const uses = Array.from({ length: VALUE_KEYS.length }, () => 0);
  for (const place of memory.values()) uses[place] = (uses[place] ?? 0) + 1;
  const free = [...uses.keys()].filter((place) => !shown.has(place));
  return free.reduce((best, place) => ((uses[place] ?? 0) < (uses[best] ?? 0) ? place : best), free[0] ?? 0);
}

/** From the base upwards. Failures come first, so that they share a baseline and can be compared. */
const CLASS_STACK: readonly CodeClass[] = ['5xx', 'none', '4xx', '3xx', '2xx'];

/** Returns the number of records in a bucket. */
export function countBucket({ counts }: Pick<HistogramBucket, 'counts'>): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Returns the number of records in the fullest bucket; 0 without buckets. */
export function findPeak(buckets: readonly HistogramBucket[]): number {
  return buckets.reduce((peak, bucket) => Math.max(peak, countBucket(bucket)), 0);
}

/** Places of the series from the base upwards. */
function toStack(series: readonly HistogramSeries[]): number[] {
  const places = [...series.keys()];
  const rank = (place: number): number => {
    const one = series[place];
    return one?.kind === 'class' ? CLASS_STACK.indexOf(one.codeClass) : place;
  };
  return places.sort((a, b) => rank(a) - rank(b));
}

/** A part of a bar, in pixels. */
interface HistogramBox extends PlotArea {
  readonly colour: SeriesColour;
  /** Of the series. */
  readonly place: number;
  /** Outside the marked time. */
  readonly isDimmed: boolean;
}

/** What the bars are drawn in. */
interface BarsSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * Returns the bars with whole-pixel edges. A series that occurs is at least 1 px high, because single failures among
 * thousands of requests would vanish.
 */
function toHistogramBoxes(
  { series, buckets }: Pick<Histogram, 'series' | 'buckets'>,
  colours: readonly SeriesColour[],
  { widthPx, heightPx }: BarsSize,
  marked: BucketRange | null,
): readonly HistogramBox[] {
  const peak = findPeak(buckets);
  if (peak === 0 || !(widthPx > 0)) return [];
  const stack = toStack(series);
  const boxes: HistogramBox[] = [];
  buckets.forEach((bucket, index) => {
    const { left, right } = toEdges(index, buckets.length, widthPx);
    const width = Math.max(1, right - left - 1);
    const isDimmed = marked !== null && (index < marked.start || index >= marked.end);
    let top = heightPx;
    for (const place of stack) {
      const count = bucket.counts[place] ?? 0;
      const colour = colours[place];
      if (count === 0 || colour === undefined) continue;
      const height = Math.min(top, Math.max(1, Math.round((count / peak) * heightPx)));
      top -= height;
      boxes.push({ colour, place, isDimmed, left, top, width, height });
    }
  });
  return boxes;
}

/** Returns one path per series and dimming. */
export function toHistogramPaths(...bars: Parameters<typeof toHistogramBoxes>) {
  return toBoxPaths(toHistogramBoxes(...bars), ({ place, isDimmed }) => `${place} ${isDimmed}`);
}

/** Returns where spans of time lie in the plot, each at least 1 px wide; all buckets are drawn equally wide. */
export function toSpanBoxes(
  buckets: readonly TimeSpan[],
  spans: readonly TimeSpan[],
  { widthPx, heightPx }: BarsSize,
): readonly PlotArea[] {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined || !(widthPx > 0)) return [];
  const toX = (atMs: number): number => {
    const index = buckets.findIndex(({ toMs }) => toMs > atMs);
    const bucket = buckets[index];
    if (bucket === undefined) return widthPx;
    const share = Math.max(0, atMs - bucket.fromMs) / (bucket.toMs - bucket.fromMs);
    return Math.round(((index + share) * widthPx) / buckets.length);
  };
  return spans
    .filter(({ fromMs, toMs }) => fromMs < last.toMs && toMs > first.fromMs)
    .map(({ fromMs, toMs }) => {
      const left = Math.min(toX(fromMs), widthPx - 1);
      return { left, top: 0, width: Math.max(1, toX(toMs) - left), height: heightPx };
    });
}

/** How much of a bucket lies in gaps: all of it, some, or nothing. */
export function judgeGaps(bucket: TimeSpan, gaps: readonly TimeSpan[]): 'whole' | 'part' | 'none' {
  const insideMs = gaps.reduce((sum, { fromMs, toMs }) => {
    return sum + Math.max(0, Math.min(toMs, bucket.toMs) - Math.max(fromMs, bucket.fromMs));
  }, 0);
  if (insideMs === 0) return 'none';
  return insideMs >= bucket.toMs - bucket.fromMs ? 'whole' : 'part';
}

/** Returns the longest median response time; 0 without one. */
export function findSlowest(buckets: readonly HistogramBucket[]): number {
  return buckets.reduce((most, { medianResponseMs }) => Math.max(most, medianResponseMs ?? 0), 0);
}

/** The line of the medians as SVG path data: a step for each bucket, and none where there is no median. */
export function toMedianPath(
  buckets: readonly HistogramBucket[],
  widthPx: number,
  heightPx: number,
  maxMs: number,
): string {
  if (!(widthPx > 0) || !(maxMs > 0)) return '';
  return toStepPath(
    buckets.map(({ medianResponseMs }, index) => ({
      ...toEdges(index, buckets.length, widthPx),
      y:
        medianResponseMs === null
          ? null
          : Math.round((1 - Math.max(0, medianResponseMs) / maxMs) * (heightPx - 2)) + 1,
    })),
  );
}

function toEdges(index: number, count: number, widthPx: number): { left: number; right: number } {
  return { left: Math.round((index * widthPx) / count), right: Math.round(((index + 1) * widthPx) / count) };
}

/** Words for the series of a histogram, and for what they are divided by. */
export function useSeriesNames() {
  const { t } = useI18n();
  const names = useNames();

  /** Returns what a series is called, by a person's own name where it has one. */
  function nameSeries(series: HistogramSeries, split: Histogram['split']): string {
    switch (series.kind) {
      case 'class':
        return t(`outcome.classes.${series.codeClass}`);
      case 'value':
        if (series.value === null) return t('detail.filters.blank');
        return split === 'errorFamily'
          ? toVisible(spellPattern(String(series.value), (kind) => t(`detail.families.folded.${kind}`)))
          : names.toText(split, series.value);
      case 'others':
        return t('detail.histogram.others', { count: formatCount(series.valueCount) }, series.valueCount);
    }
  }

  /** Returns what the records are divided by; a path is its own name. */
  function nameSplit(split: Histogram['split']): string {
    if (split === 'class') return t('detail.fields.outcome');
    return isBodyField(split) ? toVisible(split) : t(`detail.fields.${split}`);
  }

  return { nameSeries, nameSplit };
}
