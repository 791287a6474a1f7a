import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import type { Component } from 'vue';
import { afterEach, expect, test, vi } from 'vitest';
import { backendKey } from '../../../../../src-renderer/backend/backend.ts';
import type { ChartActions } from '../../../../../src-renderer/components/charts/use-chart-actions.ts';
import ChartMenu from '../../../../../src-renderer/components/charts/ChartMenu.vue';
import { createMessages } from '../../../../../src-renderer/messages/index.ts';
import HeatMapPanel from '../../../../../src-renderer/screens/summary/charts/week/HeatMapPanel.vue';
import { leadsKey } from '../../../../../src-renderer/screens/summary/leads/leads.ts';
import { makeFinding } from '../../../../support/findings/make-finding.ts';
import { catchSavedFiles } from '../../support/catch-saved-files.ts';
import { installFakeCanvas } from '../../support/fake-canvas.ts';
import { ScriptedBackend } from '../../support/scripted-backend.ts';
import { makeBasis, START_MS } from '../times/make-basis.ts';

const HOUR_MS = 3_600_000;
/** Friday 10:00. */
const FIRST = 4 * 24 + 10;

let panel: VueWrapper;
let asked: unknown[] = [];
let opened: unknown[] = [];

/** The period begins on Friday at 10:00; each of its hours has a hundred requests, the second one few. */
async function show(hours: number, gaps: { fromMs: number; toMs: number }[] = []): Promise<void> {
  [asked, opened] = [[], []];
  const backend = new ScriptedBackend({
    'analysis/read-heat-map': (input) => {
      asked.push(input.zone);
      const cells = Array.from({ length: 168 }, (_, place) => {
        const held = place >= FIRST && place < FIRST + Math.min(hours, 4);
        const count = held ? (place === FIRST + 1 ? 5 : 100) : 0;
        return { count, failures: count > 0 ? 3 : 0, medianMs: count > 0 ? 120 : null };
      });
      return { cells };
    },
  });
  const toMs = START_MS + hours * HOUR_MS;
  const { scope, ...basis } = makeBasis({ gaps });
  const leads = {
    open: (conditions: unknown) => opened.push(conditions),
    explain: () => undefined,
    makeAlert: (lead: unknown) => opened.push(lead),
  };
  panel = mount(HeatMapPanel, {
    props: { basis: { ...basis, scope: { ...scope, toMs } }, about: ['Local service'] },
    global: {
      plugins: [createMessages()],
      provide: { [backendKey as symbol]: backend, [leadsKey as symbol]: leads },
    },
    attachTo: document.body,
  });
  await flushPromises();
}
afterEach(() => {
  panel.unmount();
  vi.restoreAllMocks();
});

const cellAt = (place: number) => panel.get(`[data-place="${place}"]`);
const said = (place: number): string => cellAt(place).attributes('aria-label') ?? '';
const items = (): string[] =>
  [...document.querySelectorAll('[role=menuitem]')].map(({ textContent }) => textContent.trim());
const chooseMeasure = (place: number) => panel.findAll('[role=radio]')[place]!.trigger('click');

test('hours are read by the arrows, one stop for the keyboard, and an hour leads to its records', async () => {
  await show(6, [{ fromMs: START_MS + 4 * HOUR_MS, toMs: START_MS + 6 * HOUR_MS }]);
  expect(asked).toEqual(['UTC']);
  expect(panel.get('h2').text()).toBe('Requests by hour and weekday');
  expect(panel.text()).toContain('66.7% of the period is cached');
  expect(panel.findAll('[role=gridcell]')).toHaveLength(168);
  const stops = () =>
    panel.findAll('[tabindex="0"][role=gridcell]').map((cell) => cell.attributes('data-place'));
  expect(stops()).toEqual([String(FIRST)]);
  expect(said(FIRST)).toBe('Friday 10:00 – 11:00, 100 requests, 3 errors (3.00%), median 120 ms');
  const grid = panel.get('[role=grid]');
  await cellAt(FIRST).trigger('focus');
  for (const key of ['ArrowRight', 'ArrowUp', 'ArrowDown', 'End', 'ArrowRight', 'Home']) {
    await grid.trigger('keydown', { key });
  }
  expect(stops()).toEqual([String(4 * 24)]);
  await cellAt(FIRST + 2).trigger('focus');
  await grid.trigger('keydown', { key: 'Enter' });
  const [fromMs, toMs] = [START_MS + 2 * HOUR_MS, START_MS + 3 * HOUR_MS];
  expect(panel.emitted('pick')).toEqual([[[{ field: 'dateMs', min: fromMs, max: toMs }]]]);
});

test('an hour that is not cached is hatched and says so, one beyond the period is empty, neither is zero', async () => {
  await show(6, [{ fromMs: START_MS + 4 * HOUR_MS, toMs: START_MS + 6 * HOUR_MS }]);
  expect(said(FIRST + 4)).toBe('Friday 14:00 – 15:00, not cached');
  expect(cellAt(FIRST + 4).attributes()).toMatchObject({ 'data-hatched': 'true', 'aria-disabled': 'true' });
  expect(said(FIRST + 6)).toBe('Friday 16:00 – 17:00, not in the period');
  expect(cellAt(FIRST + 6).attributes('data-level')).toBeUndefined();
  await cellAt(FIRST + 4).trigger('click');
  expect(panel.emitted('pick')).toBeUndefined();
  panel.getComponent(ChartMenu as Component).vm.$emit('update:asTable', true);
  await flushPromises();
  const rows = panel.findAll('tbody tr').map((row) => row.findAll('td').map((cell) => cell.text()));
  expect(rows).toHaveLength(6);
  expect(rows[1]).toEqual(['Friday 11:00 – 12:00', '5', '1.0', '5.0', '3', '–', '–']);
  expect(rows[4]).toEqual(['Friday 14:00 – 15:00', '–', '0.0', '–', '–', '–', '–']);
});

test('a share of few requests is hatched and never a percentage', async () => {
  await show(6);
  expect(cellAt(FIRST + 1).attributes('data-level')).toBeDefined();
  await chooseMeasure(1);
  expect(cellAt(FIRST + 1).attributes('data-hatched')).toBe('true');
  expect(said(FIRST + 1)).toBe(
    'Friday 11:00 – 12:00, 5 requests, 3 errors (too few requests for a rate), too few requests for a median',
  );
  await cellAt(FIRST).trigger('click');
  expect(panel.emitted('pick')).toMatchObject([
    [[{ field: 'dateMs' }, { field: 'outcome', values: ['failed'] }]],
  ]);
});

test('an hour that came several times offers each of them that is cached, the newest first', async () => {
  const week = 168 * HOUR_MS;
  await show(3 * 168, [{ fromMs: START_MS + week, toMs: START_MS + week + HOUR_MS }]);
  expect(said(FIRST)).toContain('50 requests an hour');
  expect(said(FIRST)).toContain('2 h of 3 h cached, 3 times in the period');
  await cellAt(FIRST).trigger('click');
  await flushPromises();
  expect(panel.emitted('pick')).toBeUndefined();
  expect(items()).toEqual(['4 Dec 10:00 – 11:00', '20 Nov 10:00 – 11:00', 'Create alert']);
  document.querySelectorAll<HTMLElement>('[role=menuitem]')[1]!.click();
  await flushPromises();
  expect(opened).toEqual([[{ field: 'dateMs', min: START_MS, max: START_MS + HOUR_MS }]]);
});

test('the worst hour that is so because of one incident is told without it; one that stays as bad is not', async () => {
  const part = makeFinding({
    kind: 'slower',
    sinceMs: START_MS + 2 * HOUR_MS + 600_000,
    endedMs: START_MS + 2 * HOUR_MS + 1_800_000,
    within: [{ field: 'origin', value: 'web' }],
  });
  const incidents = [{ id: part.id, name: '', note: '', state: 'resolved', parts: [part] }];
  const ask = async (left: number) => {
    const filters: unknown[] = [];
    const backend = new ScriptedBackend({
      'incidents/list-kept': () => [{ incidents, unjudgedDays: 0, untilMs: null, gaps: [] }] as never,
      'analysis/read-heat-map': ({ filter }) => {
        const without = filter.conditions.filter((condition) => 'any' in condition);
        const isWithout = without.length > 0;
        if (isWithout) filters.push(without);
        return {
          cells: Array.from({ length: 168 }, (_, place) => {
            const isWorst = place === FIRST + 2;
            const medianMs = isWorst ? (isWithout ? left : 2400) : 120;
            return place >= FIRST && place < FIRST + 4
              ? { count: 100, failures: 3, medianMs }
              : { count: 0, failures: 0, medianMs: null };
          }),
        };
      },
    });
    const { scope, ...basis } = makeBasis({ gaps: [] });
    panel = mount(HeatMapPanel, {
      props: { basis: { ...basis, scope: { ...scope, toMs: START_MS + 4 * HOUR_MS } }, about: [] },
      global: {
        plugins: [createMessages()],
        provide: { [backendKey as symbol]: backend },
        stubs: ['RouterLink'],
      },
      attachTo: document.body,
    });
    await flushPromises();
    await chooseMeasure(2);
    await flushPromises();
    return filters;
  };
  const filters = await ask(140);
  expect(panel.text()).toContain('Friday 12:00 – 13:00 without the incident of 20 Nov: 140 ms.');
  const conditions = [
    { field: 'channel', values: [3] },
    { field: 'service', values: [7] },
    { field: 'origin', values: ['web'] },
    { field: 'dateMs', min: part.sinceMs, max: part.endedMs },
  ];
  expect(filters).toEqual([[{ any: [{ conditions }], exclude: true }]]);
  panel.unmount();
  await ask(2000);
  expect(panel.text()).not.toContain('without the incident');
});

test('a picture has every hour with its days and the scale, and hatches what is not known', async () => {
  installFakeCanvas();
  const saved = catchSavedFiles();
  await show(6, [{ fromMs: START_MS + 4 * HOUR_MS, toMs: START_MS + 6 * HOUR_MS }]);
  await (panel.getComponent(ChartMenu as Component).props() as { actions: ChartActions }).actions.run(
    'saveSvg',
  );
  await flushPromises();
  const [file] = saved.values();
  const picture = new DOMParser().parseFromString((await file?.text()) ?? '', 'image/svg+xml');
  const texts = [...picture.querySelectorAll('text')].map(({ textContent }) => textContent);
  expect(texts).toEqual(expect.arrayContaining(['00', '21', 'Mon', 'Sun', '0', 'not known']));
  expect(picture.querySelectorAll('svg svg rect')).toHaveLength(168);
  expect(picture.querySelectorAll('svg svg rect[fill^="url("]')).toHaveLength(2);
});
