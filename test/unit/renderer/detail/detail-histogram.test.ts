import { flushPromises, mount } from '@vue/test-utils';
import type { Component } from 'vue';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Histogram } from '../../../../src-main/common/model/records/histogram.ts';
import TimeHistogram from '../../../../src-renderer/charts/histogram/TimeHistogram.vue';
import SelectField from '../../../../src-renderer/components/controls/SelectField.vue';
import type {
  ChartAction,
  ChartActions,
} from '../../../../src-renderer/components/charts/use-chart-actions.ts';
import ChartMenu from '../../../../src-renderer/components/charts/ChartMenu.vue';
import DetailHistogram from '../../../../src-renderer/screens/detail/DetailHistogram.vue';
import { toHistogramFigures } from '../../../../src-renderer/screens/detail/detail-address.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { DEFAULT_ORDER, useRecordsStore } from '../../../../src-renderer/stores/records/records.ts';
import { catchSavedFiles } from '../support/catch-saved-files.ts';
import { installFakeCanvas } from '../support/fake-canvas.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { surround } from '../support/surround.ts';

const MINUTE_MS = 60_000;
const HISTOGRAM: Histogram = {
  split: 'channel',
  series: [
    { kind: 'value', value: 3 },
    { kind: 'value', value: 8 },
    { kind: 'others', valueCount: 4 },
  ],
  buckets: [
    { fromMs: 0, toMs: MINUTE_MS, counts: [2, 0, 1], medianResponseMs: 120 },
    { fromMs: MINUTE_MS, toMs: 2 * MINUTE_MS, counts: [4, 0, 0], medianResponseMs: null },
  ],
};
let saved: ReadonlyMap<string, Blob>;

beforeEach(() => {
  installFakeCanvas();
  saved = catchSavedFiles();
});
afterEach(() => vi.restoreAllMocks());

async function show() {
  const { global } = await provideApplication(
    new ScriptedBackend({
      'records/open-view': () => ({ viewId: 'a', rowCount: 7, isCounted: true, totalCount: 7 }),
      'records/read-histogram': () => HISTOGRAM,
    }),
  );
  const filter = { conditions: [{ field: 'service' as const, values: [7] }] };
  const span = { fromMs: 0, toMs: 2 * MINUTE_MS };
  await useRecordsStore().open({ scope: { snapshotId: 1 }, filter, order: DEFAULT_ORDER, span, zone: 'UTC' });
  const view = mount(DetailHistogram, {
    props: { filter },
    global: surround(global, {}),
    attachTo: document.body,
  });
  await flushPromises();
  const emit = (name: string, value: unknown) => {
    const menu = view.getComponent(ChartMenu as Component);
    menu.vm.$emit(name, value);
  };
  const choose = async (action: ChartAction) => {
    await (view.getComponent(ChartMenu as Component).props() as { actions: ChartActions }).actions.run(
      action,
    );
    await flushPromises();
  };
  return { view, emit, choose };
}

test('says of no records how many they are before they are counted', async () => {
  const { global } = await provideApplication(new ScriptedBackend({}));
  const props = { histogram: null, colours: [], zone: 'UTC', split: 'class', withMedian: false } as const;
  const view = mount(TimeHistogram, { props: { ...props, canZoomOut: false, splits: ['class'] }, global });
  expect(view.findAll('text')).toEqual([]);
});

test('the histogram of a table is saved as a picture that says what it shows', async () => {
  const { view, choose } = await show();
  await choose('saveSvg');
  const text = (await saved.get('inbound-requests-over-time.svg')?.text()) ?? '';
  const texts = [...text.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, words]) => words);
  expect(texts).toEqual(
    expect.arrayContaining(['Inbound requests over time', 'Filter: service:7', '3', '4 others', '0']),
  );
  // A series without a record is in no legend.
  expect(texts).not.toContain('8');
  view.unmount();
});

test('its figures stand in its place, and in a file', async () => {
  const { view, emit, choose } = await show();
  emit('update:asTable', true);
  await flushPromises();
  expect(view.findAll('thead th').map((head) => head.text())).toEqual(['From', '3', '4 others', 'Total']);
  expect(view.findAll('tbody tr').at(0)!.text()).toContain('1970-01-01 00:00:00');
  expect(view.get('.chart').attributes('inert')).toBeDefined();
  await choose('saveFigures');
  const csv = (await saved.get('inbound-requests-over-time.csv')?.text()) ?? '';
  expect(csv.split('\r\n')[1]).toBe('"1970-01-01 00:00:00",2,1,3');
  view.unmount();
});

test('the medians are among the figures while they are drawn', () => {
  const words = { time: 'From', total: 'Total', median: 'Median', nameSeries: () => 'x' };
  const { columns, rows } = toHistogramFigures(HISTOGRAM, true, 'UTC', words);
  expect(columns.at(-1)?.name).toBe('Median');
  expect(rows.map((row) => row.at(-1))).toEqual([120, null]);
});

test('a time that is explained is framed in the whole period, and the bars around it stay', async () => {
  const bucket = (place: number) => ({
    fromMs: place * MINUTE_MS,
    toMs: (place + 1) * MINUTE_MS,
    counts: [2, 0, 1],
    medianResponseMs: null,
  });
  const { global } = await provideApplication(
    new ScriptedBackend({
      'records/open-view': () => ({ viewId: 'a', rowCount: 7, isCounted: true, totalCount: 7 }),
      'records/read-histogram': ({ fromMs }) => ({
        ...HISTOGRAM,
        buckets: fromMs === 0 ? [0, 1, 2, 3].map(bucket) : [bucket(1)],
      }),
    }),
  );
  const filter = { conditions: [{ field: 'dateMs' as const, min: MINUTE_MS, max: 2 * MINUTE_MS - 1 }] };
  await useRecordsStore().open({
    scope: { snapshotId: 1 },
    filter,
    order: DEFAULT_ORDER,
    span: { fromMs: MINUTE_MS, toMs: 2 * MINUTE_MS },
    whole: { fromMs: 0, toMs: 4 * MINUTE_MS },
    zone: 'UTC',
  });
  const props = { filter };
  const view = mount(DetailHistogram, {
    props: { ...props, isExplained: true },
    global: surround(global, {}),
  });
  await flushPromises();
  expect(view.get<HTMLElement>('.frame').element.style.left).toBe('25%');
  expect(view.get<HTMLElement>('.frame').element.style.width).toBe('25%');
  await view.setProps({ isExplained: false });
  await flushPromises();
  expect(view.find('.frame').exists()).toBe(false);
});

test('bars are divided by any field; the address says by which, and back leads to the one before', async () => {
  let settings = makeSettings({ histogramSplit: 'service' });
  const backend = new ScriptedBackend({
    'app/get-info': () => null as never,
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
    'records/open-view': () => ({ viewId: 'a', rowCount: 7, isCounted: true, totalCount: 7 }),
    'records/read-histogram': ({ split }) => ({ ...HISTOGRAM, split }),
  });
  const { global, router } = await provideApplication(backend, '/inbound/detail');
  await useAppStore().load();
  const span = { fromMs: 0, toMs: 2 * MINUTE_MS };
  const filter = { conditions: [] };
  await useRecordsStore().open({ scope: { snapshotId: 1 }, filter, order: DEFAULT_ORDER, span, zone: 'UTC' });
  const view = mount(DetailHistogram, { props: { filter }, global: surround(global, {}) });
  await flushPromises();
  const select = view.getComponent(SelectField as Component);
  const lastSplit = () => {
    const call = backend.calls.findLast(({ name }) => name === 'records/read-histogram');
    return (call!.input as { split: string }).split;
  };
  expect(lastSplit()).toBe('service');
  const { options } = select.props() as unknown as { options: { value: string }[] };
  const offered = options.map(({ value }) => value);
  expect(offered).toEqual([
    ...['class', 'channel', 'service', 'origin', 'responseCode', 'errorFamily', 'client'],
  ]);
  select.vm.$emit('update:modelValue', 'client');
  await flushPromises();
  expect(router.currentRoute.value.query).toEqual({ split: 'client' });
  expect([lastSplit(), settings.histogramSplit]).toEqual(['client', 'client']);
  router.back();
  await vi.waitFor(() => expect(lastSplit()).toBe('service'));
  // Of a field that these records don't have nothing is divided.
  await router.push({ query: { split: 'actionId' } });
  await flushPromises();
  expect(lastSplit()).toBe('class');
  view.unmount();
});

test('an entry of the legend filters to its value, to none, and to all other values', async () => {
  const { global } = await provideApplication(
    new ScriptedBackend({
      'records/open-view': () => ({ viewId: 'a', rowCount: 7, isCounted: true, totalCount: 7 }),
      'records/read-histogram': () => ({
        split: 'client',
        series: [
          { kind: 'value', value: 'Zoe' },
          { kind: 'others', valueCount: 3 },
          { kind: 'value', value: null },
        ],
        buckets: [{ fromMs: 0, toMs: MINUTE_MS, counts: [3, 2, 1], medianResponseMs: null }],
      }),
    }),
  );
  const span = { fromMs: 0, toMs: MINUTE_MS };
  const filter = { conditions: [] };
  await useRecordsStore().open({ scope: { snapshotId: 1 }, filter, order: DEFAULT_ORDER, span, zone: 'UTC' });
  const view = mount(DetailHistogram, { props: { filter }, global: surround(global, {}) });
  await flushPromises();
  const entries = view.findAll('.legend button');
  expect(entries.map((entry) => entry.text())).toEqual(['Zoe3', '3 others2', '(empty)1']);
  for (const entry of entries) await entry.trigger('click');
  expect(view.emitted('change')).toEqual([
    [{ conditions: [{ field: 'client', values: ['Zoe'] }] }],
    [{ conditions: [{ field: 'client', exclude: true, values: ['Zoe', ''] }] }],
    [{ conditions: [{ field: 'client', values: [''] }] }],
  ]);
});
