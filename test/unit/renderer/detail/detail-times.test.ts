import { flushPromises, mount } from '@vue/test-utils';
import { ref, type Component } from 'vue';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import type { ResponseTimes } from '../../../../src-main/common/model/records/histogram.ts';
import { toNextNumber } from '../../../../src-main/common/query/query-fields.ts';
import TimesHeatMap from '../../../../src-renderer/charts/heat/TimesHeatMap.vue';
import type { ChartActions } from '../../../../src-renderer/components/charts/use-chart-actions.ts';
import ChartMenu from '../../../../src-renderer/components/charts/ChartMenu.vue';
import SelectField from '../../../../src-renderer/components/controls/SelectField.vue';
import DetailTimes from '../../../../src-renderer/screens/detail/DetailTimes.vue';
import { splitSelection } from '../../../../src-renderer/screens/detail/explain/explain-words.ts';
import { DEFAULT_ORDER, useRecordsStore } from '../../../../src-renderer/stores/records/records.ts';
import { catchSavedFiles } from '../support/catch-saved-files.ts';
import { installFakeCanvas } from '../support/fake-canvas.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { surround } from '../support/surround.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';

const MINUTE_MS = 60_000;
const TIMES: ResponseTimes = {
  buckets: [0, 1, 2].map((place) => ({ fromMs: place * MINUTE_MS, toMs: (place + 1) * MINUTE_MS })),
  rows: [
    { fromMs: 100, toMs: 150 },
    { fromMs: 150, toMs: 200 },
  ],
  cells: [
    { bucket: 0, row: 0, count: 7, failures: 0 },
    { bucket: 2, row: 1, count: 2, failures: 1 },
  ],
  missingCount: 12,
};
const AREA = {
  span: { fromMs: 0, toMs: MINUTE_MS },
  times: { fromMs: 100, toMs: 150 },
  count: 7,
  failures: 0,
};
let saved: ReadonlyMap<string, Blob>;

beforeEach(() => {
  installFakeCanvas();
  saved = catchSavedFiles();
});
afterEach(() => vi.restoreAllMocks());

async function show(filter: RecordFilter, props: Record<string, unknown> = {}, path = '/inbound/detail') {
  const backend = new ScriptedBackend({
    'records/open-view': () => ({ viewId: 'a', rowCount: 9, isCounted: true, totalCount: 9 }),
    'records/read-response-times': () => TIMES,
  });
  const { global, router } = await provideApplication(backend, path);
  const whole = { fromMs: 0, toMs: 3 * MINUTE_MS };
  await useRecordsStore().open({
    scope: { snapshotId: 1 },
    filter,
    order: DEFAULT_ORDER,
    span: { fromMs: 0, toMs: MINUTE_MS },
    whole,
    zone: 'UTC',
  });
  const direction = ref<Direction>('inbound');
  const view = mount(DetailTimes, { props: { filter, ...props }, global: surround(global, { direction }) });
  await flushPromises();
  const asked = () =>
    backend.calls.findLast(({ name }) => name === 'records/read-response-times')?.input as Record<
      string,
      unknown
    >;
  return { view, direction, router, backend, asked, map: view.getComponent(TimesHeatMap as Component) };
}

test('an area becomes conditions on time and response time beside those of the filter', async () => {
  const filter: RecordFilter = {
    conditions: [
      { field: 'service', values: [7] },
      { field: 'responseTimeMs', min: 120 },
    ],
  };
  const { view, map, asked } = await show(filter);
  expect(asked()).toMatchObject({ viewId: 'a', filter, fromMs: 0, toMs: MINUTE_MS, field: 'responseTimeMs' });
  map.vm.$emit('filter', AREA);
  // It never shows more than the area did, whose records were above 120 ms.
  expect(view.emitted('change')).toEqual([
    [
      {
        conditions: [
          { field: 'service', values: [7] },
          { field: 'responseTimeMs', min: 120, max: toNextNumber(150, -1) },
          { field: 'dateMs', min: 0, max: MINUTE_MS },
        ],
      },
    ],
  ]);
  expect(view.text()).toContain('12 without a response time');
  view.unmount();
});

test('an area of every time leaves out records without one', async () => {
  const { view, map } = await show({ conditions: [] });
  map.vm.$emit('explain', { ...AREA, times: { fromMs: null, toMs: null } });
  expect(view.emitted('explainArea')).toEqual([
    [
      {
        conditions: [
          { field: 'dateMs', min: 0, max: MINUTE_MS },
          { field: 'responseTimeMs', exclude: true, values: [null] },
        ],
      },
    ],
  ]);
  view.unmount();
});

test('while an area is explained, the whole stays in sight around it', async () => {
  const filter: RecordFilter = {
    conditions: [
      { field: 'service', values: [7] },
      { field: 'dateMs', min: 0, max: MINUTE_MS },
      { field: 'responseTimeMs', min: 100, max: toNextNumber(150, -1) },
    ],
  };
  const { view, asked } = await show(filter, { isExplained: true, isAreaExplained: true });
  expect(asked()).toMatchObject({
    filter: { conditions: [{ field: 'service', values: [7] }] },
    fromMs: 0,
    toMs: 3 * MINUTE_MS,
  });
  const { style } = view.get<HTMLElement>('.frame').element;
  expect([style.left, style.bottom, style.height]).toEqual(['0%', '0%', '50%']);
  expect(splitSelection(filter, true)).toMatchObject({
    kind: 'area',
    selection: { conditions: filter.conditions.slice(1) },
  });
  expect(splitSelection(filter)).toMatchObject({
    kind: 'time',
    selection: { conditions: [filter.conditions[1]] },
  });
  view.unmount();
});

test('an area that the filter chooses stays a rectangle in the whole, and is left as one', async () => {
  const filter: RecordFilter = {
    conditions: [
      { field: 'service', values: [7] },
      { field: 'dateMs', min: 0, max: MINUTE_MS },
      { field: 'responseTimeMs', min: 100, max: toNextNumber(150, -1) },
    ],
  };
  const rest = { conditions: filter.conditions.slice(0, 1) };
  const { view, map, asked } = await show(filter);
  expect(asked()).toMatchObject({ filter: rest, fromMs: 0, toMs: 3 * MINUTE_MS });
  const { style } = view.get<HTMLElement>('.frame').element;
  expect([style.left, style.bottom, style.height]).toEqual(['0%', '0%', '50%']);
  // Another rectangle takes its place.
  map.vm.$emit('filter', {
    ...AREA,
    span: { fromMs: MINUTE_MS, toMs: 2 * MINUTE_MS },
    times: { fromMs: 150, toMs: null },
  });
  expect(view.emitted('change')?.at(-1)).toEqual([
    {
      conditions: [
        { field: 'service', values: [7] },
        { field: 'dateMs', min: MINUTE_MS, max: 2 * MINUTE_MS },
        { field: 'responseTimeMs', min: 150 },
      ],
    },
  ]);
  map.vm.$emit('zoomOut');
  expect(view.emitted('change')?.at(-1)).toEqual([rest]);
  view.unmount();
});

test('what is measured is in the address; outbound records have one time only', async () => {
  const { view, direction, router, asked } = await show({ conditions: [] });
  view.getComponent(SelectField as Component).vm.$emit('update:modelValue', 'botLatencyMs');
  await flushPromises();
  expect(router.currentRoute.value.query).toEqual({ measure: 'botLatencyMs' });
  expect(asked()).toMatchObject({ field: 'botLatencyMs' });
  expect(view.text()).toContain('12 without a bot latency');
  direction.value = 'outbound';
  await flushPromises();
  expect(view.findComponent(SelectField as Component).exists()).toBe(false);
  expect(asked()).toMatchObject({ field: 'responseTimeMs' });
  view.unmount();
});

test('its figures are a table and a file, and it is a picture', async () => {
  const { view } = await show({ conditions: [] });
  const menu = view.getComponent(ChartMenu as Component);
  menu.vm.$emit('update:asTable', true);
  await flushPromises();
  expect(view.findAll('thead th').map((head) => head.text())).toEqual([
    ...['From', 'From, ms', 'Below, ms', 'Requests', 'Failed'],
  ]);
  expect(view.findAll('tbody tr').map((row) => row.text())).toHaveLength(2);
  for (const action of ['saveFigures', 'saveSvg'] as const) {
    await (menu.props() as { actions: ChartActions }).actions.run(action);
    await flushPromises();
  }
  const [csv = '', svg = ''] = await Promise.all([...saved.values()].map((file) => file.text()));
  expect(csv.split('\r\n')[2]).toBe('"1970-01-01 00:02:00",150,200,2,1');
  expect(svg).toContain('Inbound requests: Response over time');
  expect(svg).toContain('12 without a response time');
  view.unmount();
});
