import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { defineComponent, h } from 'vue';
import type { Router } from 'vue-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import MeasurePanel from '../../../../src-renderer/screens/summary/charts/MeasurePanel.vue';
import GroupTable from '../../../../src-renderer/screens/summary/groups/GroupTable.vue';
import type { Group } from '../../../../src-renderer/screens/summary/groups/group-figures.ts';
import { joinConditions, useLeads } from '../../../../src-renderer/screens/summary/leads/leads.ts';
import { installFakeCanvas } from '../support/fake-canvas.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { surround } from '../support/surround.ts';

const times = { count: 100, averageMs: 120, medianMs: 110, p90Ms: 200, p95Ms: 300, p99Ms: 400, maxMs: 500 };
const makeGroup = (values: Group['values']): Group => ({
  values,
  count: 100,
  failures: 5,
  hit: null,
  classCounts: [95, 0, 0, 5, 0],
  response: times,
  botLatency: times,
});
const groups = [
  makeGroup({ channel: 3, errorFamily: 'Timeout after ‹n› ms' }),
  makeGroup({ channel: 3, errorFamily: null }),
];

let screen: VueWrapper;
let router: Router;

async function show(filter: RecordFilter, direction: Direction = 'inbound'): Promise<void> {
  const application = await provideApplication(new ScriptedBackend({}));
  ({ router } = application);
  const common = { isComputed: true };
  const Screen = defineComponent({
    setup() {
      useLeads(() => ({ direction, filter }));
      return () => [
        h(GroupTable, {
          ...common,
          groups,
          wholes: null,
          total: null,
          by: 'channel',
          then: 'errorFamily',
          chosen: [],
          differences: null,
          matches: () => true,
        }),
        h(MeasurePanel, {
          ...common,
          field: 'origin',
          measure: 'errorShare',
          about: [],
          rows: 2,
          groups: [makeGroup({ origin: 'web' }), makeGroup({ origin: null })],
        }),
      ];
    },
  });
  screen = mount(Screen, { global: surround(application.global, { direction }), attachTo: document.body });
  await flushPromises();
}

const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
async function choose(name: string): Promise<Record<string, unknown>> {
  await flushPromises();
  items()
    .find(({ textContent }) => textContent.trim() === name)
    ?.click();
  await flushPromises();
  const { name: place, query } = router.currentRoute.value;
  return { place, ...query };
}
/** Opens the menu of the first row that is not a group of others. */
async function openLeaf(): Promise<void> {
  const toggle = screen.get('.toggle');
  if (toggle.attributes('aria-expanded') !== 'true') await toggle.trigger('click');
  await screen.get('.leaf [aria-haspopup=menu]').trigger('click');
}

beforeEach(installFakeCanvas);
afterEach(() => {
  screen.unmount();
  vi.restoreAllMocks();
});

describe('the menu of a group', () => {
  test('explains exactly its records, within the channels and services of the screen', async () => {
    await show({ conditions: [{ field: 'service', values: [7] }] });
    await openLeaf();
    await flushPromises();
    expect(document.body.textContent).toContain('Channel 3, Timeout after ‹n› ms');
    expect(await choose("Find what's different")).toEqual({
      place: 'inbound-detail',
      q: 'service:7 channel:3 family:="Timeout after ‹n› ms"',
      explain: '1',
    });
  });

  test('makes an alert that counts an error, and one on the share of a channel', async () => {
    await show({ conditions: [] }, 'outbound');
    await openLeaf();
    const made = { place: 'alerts', direction: 'outbound', origin: 'filter' };
    expect(await choose('Create alert')).toMatchObject({ ...made, new: 'volume' });
    await screen.get('.parent').trigger('contextmenu');
    expect(await choose('Create alert')).toMatchObject({ ...made, new: 'error-share', q: 'channel:3' });
  });

  test('opens by the keyboard, and not beside the rows', async () => {
    await show({ conditions: [] });
    await screen.get('thead').trigger('contextmenu');
    await screen.get('thead button').trigger('keydown', { key: '.' });
    await flushPromises();
    expect(items()).toEqual([]);
    await screen.get('.parent .toggle').trigger('keydown', { key: '.' });
    expect(await choose('Open the records')).toEqual({ place: 'inbound-detail', q: 'channel:3' });
  });
});

describe('the menu of a bar', () => {
  test('leads to its failures, and to an alert on the share of them', async () => {
    await show({ conditions: [{ field: 'channel', exclude: true, values: [9] }] });
    const [first, second] = screen.findAll('.reach button');
    await first!.trigger('keydown', { key: 'F10', shiftKey: true });
    expect(await choose('Create alert')).toMatchObject({
      place: 'alerts',
      new: 'error-share',
      origin: 'chart',
      q: '-channel:9 origin:=web',
    });
    // Requests without an origin are those, not all.
    await second!.trigger('focus');
    await second!.trigger('contextmenu');
    expect(await choose('Open the records')).toMatchObject({ q: '-channel:9 origin:"" outcome:failed' });
  });
});

test('what a part says of a field takes the place of what the screen says of it', () => {
  const own = [{ field: 'channel' as const, values: [3] }];
  const screenFilter = {
    conditions: [
      { field: 'channel' as const, values: [3, 4] },
      { field: 'channel' as const, exclude: true, values: [5] },
      { field: 'service' as const, exclude: true, values: [7] },
      { field: 'client' as const, text: 'ann' },
    ],
  };
  expect(joinConditions(screenFilter, own)).toEqual([screenFilter.conditions[2], ...own]);
});
