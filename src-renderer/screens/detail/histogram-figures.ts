import type { Histogram, HistogramSeries } from '../../../src-main/common/model/records/histogram.ts';
import type { ChartFigures } from '../../charts/picture/chart-drawing.ts';
import { formatExact } from '../../format/dates.ts';
import { formatDuration } from '../../format/numbers.ts';

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
