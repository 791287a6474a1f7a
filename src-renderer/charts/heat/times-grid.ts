import type { ResponseTimes, TimesRow } from '../../../src-main/common/model/records/histogram.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { toTimes, type BrushArea, type BrushCell } from '../brush.ts';
import type { PlotArea } from '../chart-marks.ts';
import { useI18n } from 'vue-i18n';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import { useZone } from '../../composables/surroundings.ts';
import { formatRange, formatCount, formatDuration } from '../../format/formats.ts';

type Cell = ResponseTimes['cells'][number];

/** Steps of colour. */
const LEVELS = 5;
/** Of few steps the palest are left out, so that single records can be seen. */
const LEVELS_OF = [[3], [2, 4], [2, 3, 5], [2, 3, 4, 5], [1, 2, 3, 4, 5]];
/** Round numbers within a power of ten. */
const FACTORS = [1, 2, 3, 5, 7, 10];
/** From this share on a cell is drawn as one of failures. */
const FAILED_SHARE = 0.5;

/** Counts from one edge on up to the next have one colour. */
export interface CountScale {
  /** The last one is the highest count. */
  readonly edges: readonly number[];
  /** The step of colour after each edge but the last, from 1 on. */
  readonly levels: readonly number[];
}

/** Returns steps for counts, each a multiple of the one before: few cells hold most of the records. */
export function toCountScale(cells: readonly Pick<Cell, 'count'>[]): CountScale {
  const most = cells.reduce((max, { count }) => Math.max(max, count), 1);
  const steps = Array.from({ length: LEVELS }, (_, step) => toRound(most ** (step / LEVELS)));
  const edges = [...new Set(steps)].filter((edge) => edge <= most);
  return { edges: [...edges, most], levels: LEVELS_OF[edges.length - 1] ?? [] };
}

function toRound(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return FACTORS.reduce(
    (best, factor) =>
      Math.abs(factor * power - value) < Math.abs(best - value) ? Math.round(factor * power) : best,
    Math.round(power),
  );
}

/** Returns the step of colour of a count, from 1 on. */
export function toCountLevel(count: number, { edges, levels }: CountScale): number {
  const place = edges.slice(0, -1).findLastIndex((edge) => edge <= count);
  return levels[Math.max(0, place)] ?? 1;
}

/** Returns whether most records of a cell failed. */
export function isMostlyFailed({ count, failures }: Pick<Cell, 'count' | 'failures'>): boolean {
  return count > 0 && failures / count >= FAILED_SHARE;
}

/** A cell as it is drawn, in pixels. */
interface CellBox extends PlotArea {
  readonly level: number;
  readonly isFailed: boolean;
}

/** Returns the cells with whole-pixel edges, the shortest times at the bottom. */
export function toCellBoxes(
  { buckets, rows, cells }: Pick<ResponseTimes, 'buckets' | 'rows' | 'cells'>,
  scale: CountScale,
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
): readonly CellBox[] {
  if (!(widthPx > 0)) return [];
  const toX = (column: number): number => Math.round((column * widthPx) / buckets.length);
  const toY = (row: number): number => Math.round(heightPx - (row * heightPx) / rows.length);
  return cells.map(({ bucket, row, count, failures }) => {
    const [left, top] = [toX(bucket), toY(row + 1)];
    return {
      level: toCountLevel(count, scale),
      isFailed: isMostlyFailed({ count, failures }),
      left,
      top,
      width: Math.max(1, toX(bucket + 1) - left - 1),
      height: Math.max(1, toY(row) - top - (heightPx / rows.length > 3 ? 1 : 0)),
    };
  });
}

/** Rows as spans, those without an end as far as numbers go. */
export function toRowSpans(rows: readonly TimesRow[]): readonly TimeSpan[] {
  return rows.map(({ fromMs, toMs }) => ({ fromMs: fromMs ?? -Infinity, toMs: toMs ?? Infinity }));
}

/** An area by its values: a time, and between which ones records took. */
export interface ChosenArea {
  readonly span: TimeSpan;
  readonly times: TimeSpan;
}

/** What lies in an area of cells. */
export interface TimesArea {
  readonly span: TimeSpan;
  readonly times: TimesRow;
  readonly count: number;
  readonly failures: number;
}

/** Returns what lies in an area; null where the chart has nothing of it. */
export function readArea(times: ResponseTimes, { columns, rows }: BrushArea): TimesArea | null {
  const span = toTimes(times.buckets, columns);
  const [low, high] = [times.rows[rows.start], times.rows[rows.end - 1]];
  if (span === null || low === undefined || high === undefined) return null;
  const inside = times.cells.filter(
    ({ bucket, row }) =>
      bucket >= columns.start && bucket < columns.end && row >= rows.start && row < rows.end,
  );
  return {
    span,
    times: { fromMs: low.fromMs, toMs: high.toMs },
    count: inside.reduce((sum, { count }) => sum + count, 0),
    failures: inside.reduce((sum, { failures }) => sum + failures, 0),
  };
}

/** Returns the cell with the most records, where keys begin; null where there is none. */
export function findFullest({ cells }: Pick<ResponseTimes, 'cells'>): BrushCell | null {
  const fullest = cells.reduce<Cell | null>(
    (best, cell) => (best === null || cell.count > best.count ? cell : best),
    null,
  );
  return fullest === null ? null : { column: fullest.bucket, row: fullest.row };
}

/** Words for areas of a heat map. */
export function useTimesWords() {
  const { t } = useI18n();
  const zone = useZone();

  /** Returns an edge of a row, of which the shortest have fractions. */
  function nameEdge(edge: number): string {
    return Number.isInteger(edge) ? formatDuration(edge) : `${formatCount(edge, 1)} ms`;
  }

  /** Returns a round edge for an axis, in few characters. */
  function nameTick(edge: number): string {
    return edge < SECOND_MS ? `${formatCount(edge)} ms` : `${formatCount(edge / SECOND_MS)} s`;
  }

  /** Returns how long the records of an area took, as in `100 ms to 150 ms`. */
  function nameTimes({ fromMs, toMs }: TimesRow): string {
    const [from, to] = [fromMs, toMs].map((edge) => (edge === null ? '' : nameEdge(edge)));
    if (fromMs === null && toMs === null) return t('detail.times.any');
    if (fromMs === null) return t('detail.times.under', { to });
    return toMs === null ? t('detail.times.over', { from }) : t('detail.times.range', { from, to });
  }

  /** Returns the time, how long it took, requests, and those of them that failed. */
  function listWords({ span, times, count, failures }: TimesArea): readonly string[] {
    return [
      formatRange(span.fromMs, span.toMs, zone.value),
      nameTimes(times),
      t('detail.times.count', { count: formatCount(count) }, count),
      ...(failures === 0 ? [] : [t('detail.times.failed', { count: formatCount(failures) }, failures)]),
    ];
  }

  return { nameTick, nameTimes, listWords };
}
