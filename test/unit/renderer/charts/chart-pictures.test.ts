import { flushPromises, mount } from '@vue/test-utils';
import { Chart } from 'chart.js';
import { type Component, h, ref } from 'vue';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ConnectionPlans } from '../../../../src-main/common/model/connections/planned.ts';
import BarChart from '../../../../src-renderer/charts/BarChart.vue';
import {
  composePicture,
  copyDrawing,
  toXmlText,
  type ChartDrawing,
} from '../../../../src-renderer/charts/picture/chart-picture.ts';
import TimeBands from '../../../../src-renderer/charts/TimeBands.vue';
import { timePlansKey } from '../../../../src-renderer/composables/surroundings.ts';
import ChartFrame from '../../../../src-renderer/components/charts/ChartFrame.vue';
import ChartMenu from '../../../../src-renderer/components/charts/ChartMenu.vue';
import { toFileName, useChartActions } from '../../../../src-renderer/components/charts/use-chart-actions.ts';
import { toVolumePoints } from '../../../../src-renderer/screens/overview/volume/volume.ts';
import VolumeChart from '../../../../src-renderer/screens/overview/volume/VolumeChart.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { catchSavedFiles } from '../support/catch-saved-files.ts';
import { installFakeCanvas } from '../support/fake-canvas.ts';

let saved: ReadonlyMap<string, Blob>;

// Not by a mock of the module: another test of the same process may have loaded it already.
beforeEach(() => {
  installFakeCanvas();
  saved = catchSavedFiles();
});
afterEach(() => vi.restoreAllMocks());

const bars = {
  names: ['Channel 1', 'Channel 2'],
  series: [
    { name: '2xx', colour: '2xx' as const, values: [10, 5] },
    { name: '5xx', colour: '5xx' as const, values: [1, 2] },
  ],
  endLabels: [
    { text: '11 in all', colour: 'text' as const },
    { text: '7 in all', colour: 'alert' as const, whisker: 9 },
  ],
  formatTick: (value: number) => `${value} requests`,
  formatValue: String,
  label: 'Requests by channel',
};
const figures = {
  columns: [
    { name: 'Origin', kind: 'text' as const },
    { name: 'Requests', kind: 'number' as const },
  ],
  rows: [
    ['=cmd|calc', 11],
    ['web', null],
  ],
};

function mountFrame() {
  return mount(
    {
      components: { BarChart, ChartFrame },
      data: () => ({ bars, figures }),
      template: `<ChartFrame title="Requests <by> channel" :about="['Local service', 'Computed']" :figures="figures"
        :legend="bars.series"><BarChart v-bind="bars" /></ChartFrame>`,
    },
    { global: { plugins: [createMessages()] }, attachTo: document.body },
  );
}

type Actions = ReturnType<typeof useChartActions>;

const DAY = { fromMs: Date.UTC(2026, 10, 26), toMs: Date.UTC(2026, 10, 27) };
const PLANS: ConnectionPlans = {
  times: [
    {
      id: 'a',
      name: 'Maintenance',
      kind: 'planned',
      zone: 'UTC',
      times: { repeats: 'weekly', weekdays: ['thursday'], from: '12:00', minutes: 480 },
      leftOut: { findings: true, alerts: 'muted', uptime: true },
    },
  ],
  marks: [{ id: 'm', kind: 'release', atMs: DAY.fromMs + 3_600_000, text: 'Release 4.19' }],
};

/** A frame whose menu is pressed without the menu. */
function mountActions(
  inside: Component = {
    components: { BarChart },
    setup: () => ({ bars }),
    template: '<BarChart v-bind="bars" />',
  },
): Actions {
  let actions: Actions | null = null;
  mount(
    {
      setup() {
        actions = useChartActions(
          () => ({ title: 'Requests & more', about: ['Local service · Computed'], legend: bars.series }),
          () => figures,
        );
        return () => h(inside);
      },
    },
    {
      global: {
        plugins: [createMessages()],
        stubs: { RouterLink: { template: '<a><slot /></a>' } },
        provide: { [timePlansKey as symbol]: ref(PLANS) },
      },
      attachTo: document.body,
    },
  );
  return actions!;
}

describe('a chart as a file', () => {
  test('is a whole SVG: bars, axis, names, end labels, whisker, legend, title and what it is about', async () => {
    const actions = mountActions();
    await actions.run('saveSvg');
    await flushPromises();
    expect(actions.error.value).toBeNull();
    const text = (await saved.get('requests-more.svg')?.text()) ?? '';
    const texts = [...text.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, words]) => words);
    expect(texts).toEqual(
      expect.arrayContaining([
        'Requests &amp; more',
        'Local service · Computed',
        '2xx',
        '5xx',
        'Channel 1',
        'Channel 2',
        '0 requests',
        '11 in all',
        '7 in all',
      ]),
    );
    const document = new DOMParser().parseFromString(text, 'image/svg+xml');
    expect(document.querySelectorAll('svg svg')).toHaveLength(1);
    expect(document.querySelectorAll('svg svg path').length).toBeGreaterThanOrEqual(5);
    // A style attribute would be refused by the content security policy.
    expect(text).not.toMatch(/ style=/);
  });

  test('keeps hostile names as text, and characters that XML may not hold out', async () => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.append(document.createElementNS('http://www.w3.org/2000/svg', 'text'));
    svg.firstElementChild!.textContent = '<script>\u0000\ud800';
    const drawing: ChartDrawing = {
      readSize: () => ({ width: 700, height: 200 }),
      draw: (size, ground) =>
        Promise.resolve({ svg: copyDrawing(svg, ground), area: { left: 0, top: 0, ...size } }),
    };
    const words = { title: '<img>', about: [], legend: [] };
    const root = await composePicture(words, drawing, 'light');
    expect(root.querySelector('script, img')).toBeNull();
    expect(root.textContent).toBe('<img><script>\ufffd\ufffd');
    expect(toXmlText('a\u001bb😀')).toBe('a\ufffdb😀');
  });

  test('has the planned times and marks that lie over the chart, in its plot', async () => {
    const actions = mountActions({
      components: { BarChart, TimeBands },
      setup: () => ({ bars, day: DAY, area: { left: 40, top: 0, width: 400, height: 100 } }),
      template: '<BarChart v-bind="bars" /><TimeBands v-bind="day" :area="area" />',
    });
    await actions.run('saveSvg');
    await flushPromises();
    expect(actions.error.value).toBeNull();
    const text = (await saved.get('requests-more.svg')?.text()) ?? '';
    const document = new DOMParser().parseFromString(text, 'image/svg+xml');
    const texts = [...document.querySelectorAll('text')].map(({ textContent }) => textContent);
    expect(texts).toEqual(expect.arrayContaining(['Maintenance', 'Release 4.19']));
    // Nothing of the window: no links, no classes, no styles.
    expect(text).not.toMatch(/ (?:href|class|style|role|aria-label)=/);
  });

  test('leaves what lies over the chart on the screen where it is, though a picture is larger', async () => {
    const points = toVolumePoints(
      [{ ...DAY, counts: [10, 0, 0, 0, 0] }],
      [{ ...DAY, counts: [4, 0, 0, 0, 0] }],
    );
    const slots = [{ inbound: 'whole', outbound: 'whole' }] as const;
    const actions = mountActions({
      components: { VolumeChart },
      setup: () => ({ points, slots }),
      template: '<VolumeChart :points="points" :slots="slots" :span="null" label="" rate-name="" />',
    });
    const canvas = [...document.querySelectorAll('canvas')].at(-1)!;
    Chart.getChart(canvas)!.resize(300, 120);
    await flushPromises();
    const readPlace = () => canvas.parentElement!.querySelector('[role=group]')!.getAttribute('style');
    const before = readPlace();
    await actions.run('saveSvg');
    await flushPromises();
    expect(actions.error.value).toBeNull();
    expect(before).toContain('width');
    expect(readPlace()).toBe(before);
  });

  test('gives its figures as CSV, guarded against formulas', async () => {
    await mountActions().run('saveFigures');
    expect(await saved.get('requests-more.csv')?.text()).toBe(
      `"Origin","Requests"\r\n"'=cmd|calc",11\r\n"web",\r\n`,
    );
  });

  test('has a name that every system takes', () => {
    expect(toFileName('Response time: p95 / “service”', 'png')).toBe('response-time-p95-service.png');
    expect(toFileName('***', 'svg')).toBe('chart.svg');
    expect(toFileName('x'.repeat(300), 'png')).toHaveLength(84);
  });
});

describe('the frame of a chart', () => {
  test('shows the figures as a table in place of the chart, and the chart again', async () => {
    const frame = mountFrame();
    expect(frame.find('table').exists()).toBe(false);
    const menu = frame.getComponent(ChartMenu as Component);
    menu.vm.$emit('update:asTable', true);
    await flushPromises();
    expect(frame.findAll('td').map((cell) => cell.text())).toEqual(['=cmd|calc', '11', 'web', '–']);
    expect(frame.get('.chart').attributes('inert')).toBeDefined();
    menu.vm.$emit('update:asTable', false);
    await flushPromises();
    expect(frame.find('table').exists()).toBe(false);
  });

  test('leads from each bar to its records without a pointer', async () => {
    const chart = mount(BarChart, { props: bars, global: { plugins: [createMessages()] } });
    const buttons = chart.findAll('button');
    expect(buttons.map((button) => button.attributes('aria-label')?.replace(/[\u2068\u2069]/g, ''))).toEqual([
      'Channel 1: 11 in all. Open the records',
      'Channel 2: 7 in all. Open the records',
    ]);
    await buttons[1]!.trigger('click');
    expect(chart.emitted('pick')).toEqual([[1, null]]);
  });
});
