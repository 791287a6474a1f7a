import { mount, type VueWrapper } from '@vue/test-utils';
import { Chart } from 'chart.js';
import { nextTick } from 'vue';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type SlotCoverage,
  toVolumePoints,
} from '../../../../src-renderer/screens/overview/volume/volume.ts';
import BarChart from '../../../../src-renderer/charts/BarChart.vue';
import { listLengthTicks } from '../../../../src-renderer/charts/chart-marks.ts';
import TimesChart from '../../../../src-renderer/screens/conversations/times/TimesChart.vue';
import VolumeChart from '../../../../src-renderer/screens/overview/volume/VolumeChart.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { installFakeCanvas } from '../support/fake-canvas.ts';

const HALF_HOUR_MS = 1_800_000;
const root = document.documentElement;
const sheet = document.createElement('style');
sheet.textContent = `
  .light { --cs-series-in: #5470d8; --cs-sunken: #f1f3f6; --cs-text-1: #14171f; }
  .dark { --cs-series-in: #6f89ea; --cs-sunken: #1b1f26; --cs-text-1: #e8eaee; }`;

beforeEach(() => {
  installFakeCanvas();
  document.head.append(sheet);
  root.className = 'light';
});
afterEach(() => {
  vi.restoreAllMocks();
  sheet.remove();
});

function findChart(wrapper: VueWrapper): Chart {
  const chart = Chart.getChart(wrapper.get('canvas').element);
  if (chart === undefined) throw new Error('The canvas has no chart.');
  return chart;
}

/** The colour in which a bar is drawn. */
function findBarColour(chart: Chart): unknown {
  return chart.getDatasetMeta(1).data[0]?.options['backgroundColor'];
}

/** The page's observer of the theme runs after the change. */
async function switchTheme(name: 'light' | 'dark'): Promise<void> {
  root.className = name;
  await new Promise((resolve) => setTimeout(resolve));
  await nextTick();
}

function makePoints(counts: readonly number[]) {
  const buckets = counts.map((count, index) => ({
    fromMs: index * HALF_HOUR_MS,
    toMs: (index + 1) * HALF_HOUR_MS,
    counts: [count, 0, 0, 0, 0],
  }));
  return toVolumePoints(buckets, buckets);
}

const WHOLE: SlotCoverage = { inbound: 'whole', outbound: 'whole' };

function mountVolume(counts: readonly number[], slots: readonly SlotCoverage[] = counts.map(() => WHOLE)) {
  return mount(VolumeChart, {
    props: {
      points: makePoints(counts),
      slots,
      span: null,
      zone: 'UTC',
      label: 'Requests',
      rateName: 'Error rate',
    },
    global: { plugins: [createMessages()] },
    attachTo: document.body,
  });
}

const bars = {
  names: ['Channel 1', 'Channel 2'],
  series: [{ name: '2xx', colour: '2xx' as const, values: [10, 5] }],
  endLabels: [],
  formatTick: String,
  formatValue: String,
  label: 'Requests by channel',
};

describe('the volume chart', () => {
  test('keeps its chart and data sets when new records arrive', async () => {
    const wrapper = mountVolume([10, 20]);
    const chart = findChart(wrapper);
    const [, inbound] = chart.data.datasets;
    await wrapper.setProps({ points: makePoints([10, 25, 30]) });
    expect(findChart(wrapper)).toBe(chart);
    expect(chart.data.datasets[1]).toBe(inbound);
    expect(inbound?.data).toEqual([10, 25, 30]);
    expect(chart.data.labels?.[1]).toBe('1 Jan 00:30 – 01:00');
    expect(chart.scales['count']?.max).toBeGreaterThanOrEqual(30);
  });

  test('takes the colours of the theme, also when it changes', async () => {
    const wrapper = mountVolume([10]);
    const chart = findChart(wrapper);
    expect(findBarColour(chart)).toBe('#5470d8');
    await switchTheme('dark');
    expect(findChart(wrapper)).toBe(chart);
    expect(findBarColour(chart)).toBe('#6f89ea');
  });

  test('marks the half hours that are not cached, and only those', async () => {
    const wrapper = mountVolume([0, 20], [{ inbound: 'none', outbound: 'none' }, WHOLE]);
    const chart = findChart(wrapper);
    chart.resize(600, 240);
    const write = vi.spyOn(chart.ctx, 'fillText');
    const countLabels = (): number => write.mock.calls.filter(([text]) => text === 'not cached').length;
    chart.draw();
    expect(countLabels()).toBe(1);
    write.mockClear();
    await wrapper.setProps({ slots: [WHOLE, WHOLE] });
    chart.draw();
    expect(countLabels()).toBe(0);
  });

  test('hatches one direction alone where the other one is cached', () => {
    const wrapper = mountVolume([10], [{ inbound: 'whole', outbound: 'none' }]);
    const chart = findChart(wrapper);
    chart.resize(600, 240);
    const clip = vi.fn();
    chart.ctx.rect = clip;
    chart.draw();
    const { left, width } = chart.chartArea;
    const hatched = (clip.mock.calls as number[][]).filter(
      ([, , wide]) => Math.abs((wide ?? 0) - width / 2) < 1,
    );
    expect(hatched.map(([x]) => Math.round(x ?? 0))).toEqual([Math.round(left + width / 2)]);
  });

  test('ends with its component', () => {
    const wrapper = mountVolume([10]);
    const { canvas } = findChart(wrapper);
    wrapper.unmount();
    expect(Chart.getChart(canvas)).toBeUndefined();
  });
});

describe('a bar chart', () => {
  test('keeps its chart when bars, series and labels change', async () => {
    const wrapper = mount(BarChart, {
      props: bars,
      global: { plugins: [createMessages()] },
      attachTo: document.body,
    });
    const chart = findChart(wrapper);
    chart.resize(600, 240);
    const text = vi.spyOn(chart.ctx, 'fillText');
    await wrapper.setProps({
      names: ['Channel 3'],
      series: [
        { name: '4xx', colour: '4xx', values: [2] },
        { name: '5xx', colour: '5xx', values: [1] },
      ],
      endLabels: [{ text: '3 errors', colour: 'text' }],
    });
    expect(findChart(wrapper)).toBe(chart);
    expect(chart.data.labels).toEqual(['Channel 3']);
    expect(chart.data.datasets.map(({ label, data }) => [label, data])).toEqual([
      ['4xx', [2]],
      ['5xx', [1]],
    ]);
    expect(text.mock.calls.map(([words]) => words)).toContain('3 errors');
  });

  test('writes its labels in the colours of the theme', async () => {
    const wrapper = mount(BarChart, {
      props: bars,
      global: { plugins: [createMessages()] },
      attachTo: document.body,
    });
    const chart = findChart(wrapper);
    expect(chart.options.scales?.['y']?.ticks?.color).toBe('#14171f');
    await switchTheme('dark');
    expect(chart.options.scales?.['y']?.ticks?.color).toBe('#e8eaee');
  });

  test('leaves room for the text behind the longest bar, whatever the axis ends with', () => {
    const words = '2,123 · 2.07% err';
    const wrapper = mount(BarChart, {
      props: { ...bars, endLabels: [{ text: words, colour: 'text' }] },
      global: { plugins: [createMessages()] },
      attachTo: document.body,
    });
    const chart = findChart(wrapper);
    const widthPx = 102;
    vi.spyOn(chart.ctx, 'measureText').mockImplementation(() => ({ width: widthPx }) as TextMetrics);
    for (const value of [2_123, 2_150, 2_586, 999, 430]) {
      for (const width of [360, 440, 530, 620]) {
        chart.data.datasets.forEach((dataset, index) => {
          dataset.data = [index === 0 ? value : 0];
        });
        chart.resize(width, 240);
        chart.update();
        const end = Math.max(...chart.getSortedVisibleDatasetMetas().map(({ data }) => data[0]?.x ?? 0));
        expect(end + widthPx, `${String(value)} in ${String(width)} px`).toBeLessThanOrEqual(width);
      }
    }
  });
});

describe('the times of conversations', () => {
  const HOUR_MS = 3_600_000;
  const FROM_MS = Date.UTC(2026, 10, 22, 18);

  test('name the days below their bars, however many bars there are', async () => {
    const steps = Array.from({ length: 112 }, (_, place) => ({
      fromMs: FROM_MS + place * 1.5 * HOUR_MS,
      toMs: FROM_MS + (place + 1) * 1.5 * HOUR_MS,
    }));
    const series = [{ name: 'In the bot', colour: 'accent', values: steps.map(() => 40_000) }];
    const chart = mount(TimesChart, {
      props: { steps, series, gaps: [], format: String, label: 'Times' } as never,
      global: { plugins: [createMessages()] },
      attachTo: document.body,
    });
    await nextTick();
    const drawn = Chart.getChart(chart.get('canvas').element);
    const labels = drawn?.scales['x']?.ticks.map(({ label }) => label).filter((label) => label !== '');
    expect(labels).toEqual(['26 Nov']);
    expect(drawn?.scales['y']?.ticks.map(({ value }) => value)).toEqual([0, 15_000, 30_000, 45_000]);
    chart.unmount();
  });

  test('say of each bar by keys what they say at the pointer', async () => {
    const steps = [0, 1, 2].map((hour) => ({
      fromMs: FROM_MS + hour * HOUR_MS,
      toMs: FROM_MS + (hour + 1) * HOUR_MS,
    }));
    const series = [
      { name: 'In the bot', colour: 'accent', values: [40, 0, 60] },
      { name: 'Waiting', colour: 'soft', values: [0, 0, 7] },
    ];
    const chart = mount(TimesChart, {
      props: { steps, series, gaps: [], format: (ms: number) => `${ms} ms`, label: 'Times' } as never,
      global: { plugins: [createMessages()] },
      attachTo: document.body,
    });
    await nextTick();
    const plot = chart.get('[role=application]');
    const said = () => chart.get('[role=status]').text();
    const drawn = Chart.getChart(chart.get('canvas').element);
    await plot.trigger('keydown', { key: 'ArrowRight' });
    expect(said()).toBe('22 Nov 18:00 – 19:00, In the bot 40 ms');
    expect(drawn?.getActiveElements().map(({ index }) => index)).toEqual([0, 0]);
    await plot.trigger('keydown', { key: 'End' });
    expect(said()).toBe('22 Nov 20:00 – 21:00, In the bot 60 ms, Waiting 7 ms');
    await plot.trigger('keydown', { key: 'Escape' });
    expect(said()).toBe('');
    expect(drawn?.getActiveElements()).toEqual([]);
    chart.unmount();
  });

  test.each([
    [42_000, [0, 15_000, 30_000]],
    [400_000, [0, 120_000, 240_000, 360_000]],
    [420, [0, 200, 400]],
    [5 * HOUR_MS, [0, 2 * HOUR_MS, 4 * HOUR_MS]],
    [0, [0]],
  ])('divide %d ms by round lengths of time', (max, ticks) => {
    expect(listLengthTicks(max)).toEqual(ticks);
  });
});
