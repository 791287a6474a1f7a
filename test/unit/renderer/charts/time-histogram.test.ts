import { mount } from '@vue/test-utils';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Histogram, HistogramSeries } from '../../../../src-main/common/model/records/histogram.ts';
import { CODE_CLASSES } from '../../../../src-main/common/model/records/record.ts';
import { formatAxisCount } from '../../../../src-renderer/charts/chart-style.ts';
import {
  toHistogramPaths,
  toMedianPath,
  toSpanBoxes,
  toSeriesColours,
} from '../../../../src-renderer/charts/histogram/histogram-bars.ts';
import TimeHistogram from '../../../../src-renderer/charts/histogram/TimeHistogram.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';

const MINUTE_MS = 60_000;
const CLASSES = CODE_CLASSES.map((codeClass): HistogramSeries => ({ kind: 'class', codeClass }));
const toBuckets = (counts: readonly number[][], medians: readonly (number | null)[] = []) =>
  counts.map((own, index) => ({
    fromMs: index * MINUTE_MS,
    toMs: (index + 1) * MINUTE_MS,
    counts: own,
    medianResponseMs: medians[index] ?? null,
  }));
const BY_CLASS: Histogram = {
  split: 'class',
  series: CLASSES,
  buckets: toBuckets([5, 0, 1200, 8].map((count, index) => [count, 0, 0, index === 3 ? 2 : 0, 0])),
};
const BY_CHANNEL: Histogram = {
  split: 'channel',
  series: [
    { kind: 'value', value: 3 },
    { kind: 'value', value: null },
    { kind: 'others', valueCount: 4 },
  ],
  buckets: toBuckets(
    [
      [2, 1, 0],
      [4, 0, 3],
    ],
    [120, null],
  ),
};

const toColours = ({ series }: Pick<Histogram, 'series'>) => toSeriesColours(series, new Map(), () => null);

function mountHistogram(histogram: Histogram = BY_CLASS, withMedian = false) {
  const view = mount(TimeHistogram, {
    props: {
      histogram,
      colours: toColours(histogram),
      zone: 'UTC',
      split: histogram.split,
      withMedian,
      canZoomOut: true,
      splits: [histogram.split],
    },
    global: { plugins: [createMessages()] },
  });
  const plot = view.get('[role=slider]');
  const point = (name: string, clientX: number) => plot.trigger(name, { clientX, button: 0, pointerId: 1 });
  const press = (key: string, shiftKey = false) => plot.trigger('keydown', { key, shiftKey });
  return { view, plot, point, press };
}

beforeEach(() => {
  HTMLElement.prototype.setPointerCapture = () => undefined;
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ left: 0, width: 400 } as never);
});

describe('a time histogram', () => {
  test('zooms into the whole buckets that the pointer is dragged over, in either direction', async () => {
    const { view, point } = mountHistogram();
    await point('pointerdown', 250);
    await point('pointermove', 120);
    await point('pointerup', 120);
    expect(view.emitted('zoomIn')).toEqual([[{ fromMs: MINUTE_MS, toMs: 3 * MINUTE_MS }]]);
  });

  test('forgets a drag that the system took over', async () => {
    const { view, point } = mountHistogram();
    await point('pointerdown', 250);
    await point('pointercancel', 250);
    await point('pointerup', 250);
    expect(view.emitted('zoomIn')).toBeUndefined();
  });

  test('goes on with a drag over the same time where records that arrive bring other buckets', async () => {
    const { view, point } = mountHistogram();
    await point('pointerdown', 250);
    await point('pointermove', 350);
    const earlier = { fromMs: -MINUTE_MS, toMs: 0, counts: [1, 0, 0, 0, 0], medianResponseMs: null };
    await view.setProps({ histogram: { ...BY_CLASS, buckets: [earlier, ...BY_CLASS.buckets] } });
    await point('pointerup', 350);
    expect(view.emitted('zoomIn')).toEqual([[{ fromMs: 2 * MINUTE_MS, toMs: 4 * MINUTE_MS }]]);
  });

  test('drops a mark that other buckets have nothing of', async () => {
    const { view, press } = mountHistogram();
    await press('ArrowRight');
    await view.setProps({ histogram: { ...BY_CLASS, buckets: BY_CLASS.buckets.slice(2) } });
    await press('Enter');
    expect(view.emitted('zoomIn')).toBeUndefined();
  });

  test('marks a time with the arrow keys, says it, and zooms into it with Enter', async () => {
    const { view, plot, press } = mountHistogram();
    await press('ArrowRight');
    await press('ArrowRight');
    await press('ArrowRight', true);
    await press('a');
    expect(plot.attributes('aria-valuetext')).toBe('Marked: 1 Jan 00:01 – 00:03');
    expect(view.emitted('zoomIn')).toBeUndefined();
    await press('Enter');
    expect(view.emitted('zoomIn')).toEqual([[{ fromMs: MINUTE_MS, toMs: 3 * MINUTE_MS }]]);
  });

  test('forgets what is marked with Escape, and zooms out with the next', async () => {
    const { view, press } = mountHistogram();
    await press('ArrowRight');
    await press('Escape');
    expect(view.emitted('zoomOut')).toBeUndefined();
    await press('Enter');
    expect(view.emitted('zoomIn')).toBeUndefined();
    await press('Escape');
    expect(view.emitted('zoomOut')).toHaveLength(1);
  });

  test('names the bucket under the pointer with its classes, total and median', async () => {
    const { view, point } = mountHistogram();
    await point('pointermove', 390);
    const tip = view.get('.tip').text();
    expect(tip).toContain('00:03:00');
    expect(tip).toMatch(/OK\s*8/u);
    expect(tip).toMatch(/Failed\s*2/u);
    expect(tip).toMatch(/Total\s*10/u);
    expect(tip).not.toContain('Median');
    await point('pointerleave', 390);
    expect(view.find('.tip').exists()).toBe(false);
    const other = mountHistogram(BY_CHANNEL, true);
    await other.point('pointermove', 10);
    expect(other.view.get('.tip').text()).toMatch(/Channel\s*3\s*2\s*\(empty\)\s*1/u);
    expect(other.view.get('.tip').text()).toMatch(/Median response\s*120 ms/u);
  });

  test('hatches what is not cached, and says so of the bucket under the pointer', async () => {
    const { view, point } = mountHistogram();
    const gap = { fromMs: 1.5 * MINUTE_MS, toMs: 3 * MINUTE_MS };
    await view.setProps({ gaps: [gap] });
    const readTip = async (clientX: number) => {
      await point('pointermove', clientX);
      return view.get('.tip').text();
    };
    expect(await readTip(10)).not.toContain('ached');
    expect(await readTip(110)).toContain('Not all of it is cached');
    expect(await readTip(290)).toMatch(/Not cached.*Total/su);
  });

  test('says what it shows, its highest count and the slowest median', () => {
    const { view, plot } = mountHistogram();
    expect(plot.attributes('aria-valuetext')).toBe('1 Jan 00:00 – 00:04');
    expect(view.findAll('[data-side=left]').map((label) => label.text())).toEqual(['1.2k', '0']);
    const medians = mountHistogram(BY_CHANNEL, true).view.findAll('[data-side=right]');
    expect(medians.map((label) => label.text())).toEqual(['200 ms', '0']);
  });

  test('has a legend with counts whose entries filter, the others too', async () => {
    const { view } = mountHistogram(BY_CHANNEL);
    const entries = view.findAll('.legend button');
    expect(entries.map((entry) => entry.text())).toEqual(['36', '(empty)1', '4 others3']);
    for (const entry of entries) await entry.trigger('click');
    expect(view.emitted('filter')).toEqual(BY_CHANNEL.series.map((series) => [series]));
    expect(mountHistogram().view.findAll('.legend button')).toHaveLength(2);
  });

  test('goes back and shows the median at the press of a button', async () => {
    const { view } = mountHistogram();
    await view.get('[aria-label^="Zoom out"]').trigger('click');
    await view.get('button.median').trigger('click');
    expect(view.emitted('zoomOut')).toHaveLength(1);
    expect(view.emitted('update:withMedian')).toEqual([[true]]);
  });
});

describe('the bars', () => {
  test('keep a single failure among thousands visible, at the base', () => {
    const buckets = toBuckets([[9_999, 0, 0, 1, 0]]);
    const paths = toHistogramPaths(
      { series: CLASSES, buckets },
      toColours(BY_CLASS),
      { widthPx: 10, heightPx: 60 },
      null,
    );
    expect(paths.map(({ first, path }) => [first.colour, path])).toEqual([
      [{ 'data-class': '5xx' }, 'M0 59h9v1h-9z'],
      [{ 'data-class': '2xx' }, 'M0 0h9v59h-9z'],
    ]);
  });

  test('stack values from the most frequent up, the others last', () => {
    const paths = toHistogramPaths(BY_CHANNEL, toColours(BY_CHANNEL), { widthPx: 20, heightPx: 70 }, null);
    expect(paths.map(({ first }) => first.colour)).toEqual([
      { 'data-series': '1' },
      { 'data-series': 'none' },
      { 'data-series': 'others' },
    ]);
  });

  test('are dimmed outside the marked time', () => {
    const buckets = toBuckets(Array.from({ length: 3 }, () => [4, 0, 0, 0, 0]));
    const paths = toHistogramPaths(
      { series: CLASSES, buckets },
      toColours(BY_CLASS),
      { widthPx: 30, heightPx: 60 },
      {
        start: 1,
        end: 2,
      },
    );
    expect(paths.map(({ first }) => first.isDimmed)).toEqual([true, false]);
  });
});

test('what is not cached is drawn where its buckets are, clipped to them', () => {
  const { buckets } = BY_CLASS;
  const gaps = [
    { fromMs: -MINUTE_MS, toMs: MINUTE_MS / 2 },
    { fromMs: 1.5 * MINUTE_MS, toMs: 3 * MINUTE_MS },
    { fromMs: 4 * MINUTE_MS - 1, toMs: 9 * MINUTE_MS },
    { fromMs: 7 * MINUTE_MS, toMs: 9 * MINUTE_MS },
  ];
  expect(toSpanBoxes(buckets, gaps, { widthPx: 400, heightPx: 60 })).toEqual([
    { left: 0, top: 0, width: 50, height: 60 },
    { left: 150, top: 0, width: 150, height: 60 },
    { left: 399, top: 0, width: 1, height: 60 },
  ]);
  expect(toSpanBoxes([], gaps, { widthPx: 400, heightPx: 60 })).toEqual([]);
});

describe('the colours of channels and services', () => {
  const valuesOf = (...values: (number | null)[]): HistogramSeries[] =>
    values.map((value) => ({ kind: 'value', value }));
  const read = (memory: Map<string, number>, ...values: (number | null)[]) =>
    toSeriesColours(valuesOf(...values), memory, () => null).map((colour) => colour['data-series']);

  test('stay the same when a filter leaves fewer, or other ones, or changes their order', () => {
    const memory = new Map<string, number>();
    const whole = read(memory, 3, 1, 4, null);
    expect(new Set(whole).size).toBe(4);
    expect(read(memory, null, 4)).toEqual([whole[3], whole[2]]);
    expect(read(memory, 8, 1)[1]).toBe(whole[1]);
    expect(read(memory, 4, 1, 3)).toEqual([whole[2], whole[1], whole[0]]);
  });

  test('differ from one another, however many were seen before', () => {
    const memory = new Map<string, number>();
    for (let first = 0; first < 40; first += 1) {
      const shown = read(memory, first, first + 7, first + 12, first * 3, 100 - first, first + 24);
      expect(new Set(shown.slice(0, 3)).size).toBe(3);
      const values = new Set([first, first + 7, first + 12, first * 3, 100 - first, first + 24]);
      expect(new Set(read(memory, ...values)).size).toBe(values.size);
    }
  });

  test('are those that a person gave', () => {
    const memory = new Map<string, number>();
    const series = [...valuesOf(3, 7), { kind: 'others', valueCount: 2 } as const];
    const colours = toSeriesColours(series, memory, (value) => (value === 3 ? 'pink' : null));
    expect(colours.map((colour) => colour['data-series'])).toEqual(['pink', '1', 'others']);
  });
});

test('the line of the medians is broken where there is none', () => {
  const buckets = toBuckets([[1], [1], [0], [1]], [0, 100, null, 50]);
  expect(toMedianPath(buckets, 40, 62, 100)).toBe('M0 61H10V1H20M30 31H40');
  expect(toMedianPath(buckets, 40, 62, 0)).toBe('');
});

test.each([
  [0, '0'],
  [950, '950'],
  [1250, '1.25k'],
  [12_345, '12.3k'],
  [2_500_000, '2.5M'],
])('%s on an axis is %s', (count, label) => {
  expect(formatAxisCount(count)).toBe(label);
});
