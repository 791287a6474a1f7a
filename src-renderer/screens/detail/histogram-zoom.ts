import type { Histogram, HistogramSeries } from '../../../src-main/common/model/records/histogram.ts';
import type { ChartFigures } from '../../charts/picture/chart-picture.ts';
import { formatExact, formatDuration } from '../../format/formats.ts';
import { computed, shallowRef, watch, type ComputedRef } from 'vue';
import type { FilterPart, RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { isAbout, listPlain, withoutField } from '../../../src-main/common/query/filter-tree.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { setOnly } from '../../filters/edit-filter.ts';

export interface HistogramWords {
  readonly time: string;
  readonly total: string;
  readonly median: string;
  nameSeries(series: HistogramSeries): string;
}

/** Returns the figures behind a histogram: a row for each bar, with those series that occur. */
export function toHistogramFigures(
  { series, buckets }: Pick<Histogram, 'series' | 'buckets'>,
  withMedian: boolean,
  zone: string,
  words: HistogramWords,
): ChartFigures {
  const places = [...series.keys()].filter((place) => buckets.some(({ counts }) => (counts[place] ?? 0) > 0));
  return {
    columns: [
      { name: words.time, kind: 'text' },
      ...series.flatMap((one, place) =>
        places.includes(place) ? [{ name: words.nameSeries(one), kind: 'number' as const }] : [],
      ),
      { name: words.total, kind: 'number' },
      ...(withMedian ? [{ name: words.median, kind: 'number' as const, format: formatDuration }] : []),
    ],
    rows: buckets.map(({ fromMs, counts, medianResponseMs }) => [
      formatExact(fromMs, zone),
      ...places.map((place) => counts[place] ?? 0),
      counts.reduce((sum, count) => sum + count, 0),
      ...(withMedian ? [medianResponseMs] : []),
    ]),
  };
}

/** The time that the filter narrows the period to, and the way back through those before it. */
export function useTimeZoom(
  readFilter: () => RecordFilter,
  setFilter: (next: RecordFilter) => void,
): {
  readonly canZoomOut: ComputedRef<boolean>;
  zoomIn(span: TimeSpan): void;
  zoomOut(): void;
} {
  const times = computed(() => JSON.stringify(listTimes(readFilter())));
  /** What the filter said of the time before, the newest last. */
  const before = shallowRef<readonly string[]>([]);

  function zoomOut(): void {
    const filter = readFilter();
    if (listTimes(filter).length === 0) return;
    const previous = JSON.parse(before.value.at(-1) ?? '[]') as FilterPart[];
    setFilter({ conditions: [...withoutField(filter, 'dateMs').conditions, ...previous] });
  }

  // However it came about: the browser's back and a chip that is taken out lead back too.
  watch(times, (next, last) => {
    const isBack = before.value.at(-1) === next;
    before.value = isBack ? before.value.slice(0, -1) : [...before.value, last];
  });

  return {
    canZoomOut: computed(() => listTimes(readFilter()).length > 0),
    zoomIn: ({ fromMs, toMs }) =>
      setFilter(setOnly(readFilter(), { field: 'dateMs', min: fromMs, max: toMs })),
    zoomOut,
  };
}

/** Returns the part of a span that a filter narrows it to; all of it where they don't meet. */
export function toZoomedSpan(filter: RecordFilter, span: TimeSpan): TimeSpan {
  const found = listPlain(filter).find(({ field, exclude }) => field === 'dateMs' && exclude !== true);
  const fromMs = Math.max(span.fromMs, Math.floor(found?.min ?? span.fromMs));
  const toMs = Math.min(span.toMs, Math.ceil(found?.max ?? span.toMs));
  return fromMs < toMs ? { fromMs, toMs } : span;
}

function listTimes({ conditions }: RecordFilter): FilterPart[] {
  return conditions.filter((part) => isAbout(part, 'dateMs'));
}
