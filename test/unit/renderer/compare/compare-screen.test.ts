import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Router } from 'vue-router';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { Incident } from '../../../../src-main/common/model/analysis/incident.ts';
import type { Comparison } from '../../../../src-main/common/model/analysis/comparison.ts';
import CompareScreen from '../../../../src-renderer/screens/compare/CompareScreen.vue';
import CompareSkeleton from '../../../../src-renderer/screens/compare/CompareSkeleton.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { usePeriodStore } from '../../../../src-renderer/stores/window/period.ts';
import { makeFinding } from '../../../support/findings/make-finding.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeComparison, makeGroup } from './make-comparison.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 8, 42);
const HOUR_MS = 3_600_000;
const DAY = { fromMs: Date.UTC(2026, 10, 22), toMs: NOW_MS };

/** Incidents of today. */
let incidents: Incident[];
let without: Input<'analysis/group-records'>[];
let page: VueWrapper;
let router: Router;
let backend: ScriptedBackend;

/** Shows the screen of today; `missingMs` of the period to compare with is not cached. */
async function show(
  path = '/compare',
  comparison: Comparison = makeComparison(),
  missingMs = 0,
): Promise<void> {
  backend = new ScriptedBackend({
    'app/get-info': () => ({}) as never,
    'settings/get': () => makeSettings(),
    'settings/update': (change) => makeSettings(change),
    'connections/list': () => [
      makeConnection({ id: 'one', serviceZone: 'UTC' }),
      makeConnection({ id: 'two', serviceZone: 'UTC' }),
    ],
    'following/list': () => [],
    'snapshots/list': () => [
      makeSnapshot(DAY, { id: 4, name: 'Bad release' }),
      makeSnapshot(DAY, { id: 5, name: 'The day before' }),
    ],
    'snapshots/read-storage': () => ({}) as never,
    'coverage/read': ({ fromMs }) => ({
      buckets: [],
      gaps:
        missingMs === 0 || fromMs === DAY.fromMs
          ? []
          : [{ fromMs, toMs: fromMs + missingMs, state: 'missing' as const, fetching: null }],
      unreadyRecords: 0,
    }),
    'downloads/fetch-gaps': () => ({}) as never,
    'records/read-histogram': ({ fromMs }) => ({
      split: 'class',
      series: [],
      buckets: [0, 1, 2].map((place) => ({
        fromMs: fromMs + place * HOUR_MS,
        toMs: fromMs + (place + 1) * HOUR_MS,
        counts: [5, 0, 0, 1, 0],
        medianResponseMs: null,
      })),
    }),
    'incidents/list': ({ period, isKeptOnly }) => ({
      incidents: isKeptOnly === true && period.fromMs === DAY.fromMs ? incidents : [],
      ...{ unjudgedDays: 0, untilMs: NOW_MS, gaps: [] },
    }),
    'analysis/group-records': (question) => {
      without.push(question);
      const failures = JSON.stringify(question.filter).includes('"channel"') ? 29 : 380;
      return { total: { count: 1075, failures, response: {} } } as never;
    },
    'compare/compare-groups': ({ before: { scope } }) =>
      'connectionId' in scope && scope.connectionId === 'two' ? new Promise(() => undefined) : comparison,
  });
  const application = await provideApplication(backend, path);
  ({ router } = application);
  await useAppStore().load();
  await useConnectionsStore().load();
  usePeriodStore().select({ kind: 'preset', preset: 'today' });
  page = mount(CompareScreen, { global: application.global, attachTo: document.body });
  await flushPromises();
}

const asked = () => {
  const { input } = backend.calls.filter(({ name }) => name === 'compare/compare-groups').at(-1)!;
  return input as { before: { scope: unknown; filter: unknown }; after: { scope: unknown }; by: string[] };
};
const cellsOf = (row: number): string[] =>
  page
    .findAll('.box tbody tr')
    [row]!.findAll('th, td')
    .map((cell) => cell.text());
async function press(name: string): Promise<void> {
  await page
    .findAll('button')
    .find((button) => button.text() === name || button.attributes('aria-label') === name)!
    .trigger('click');
  await flushPromises();
}

describe('two periods on the Compare screen', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS });
    [incidents, without] = [[], []];
  });
  afterEach(() => {
    page.unmount();
    vi.useRealTimers();
  });

  it('are today and the same weekday last week, group by group, with what changed in words', async () => {
    await show();
    expect(asked()).toMatchObject({
      by: ['service', 'channel'],
      before: { scope: { fromMs: DAY.fromMs - 168 * HOUR_MS, toMs: NOW_MS + 1000 - 168 * HOUR_MS } },
      after: { scope: { fromMs: DAY.fromMs, toMs: NOW_MS + 1000 } },
    });
    expect(page.text()).toContain(
      'Error share rose from 2.6% to 23.4%, nearly all of it because Service 7 fails more.',
    );
    expect(cellsOf(0)).toEqual([
      ...['Service 7', '302', '2.0%', '612', '59.8%'],
      ...['+57.8', '', '+55.8 to +59.8', 'Certain', '', '+20.9', '+21.0', '−0.1'],
    ]);
    const rows = page.findAll('.box tbody tr').map((row) => row.get('th').text());
    expect(rows).toEqual(expect.arrayContaining(['Service 7', 'Channel 3', 'Service 5', 'All requests']));
  });

  it('say that a single incident makes the difference, and only where it does', async () => {
    const place = {
      channel: 3,
      service: 7,
      sinceMs: DAY.fromMs + HOUR_MS,
      endedMs: DAY.fromMs + 2 * HOUR_MS,
    };
    const own = { state: 'resolved', name: '', note: '', isMerged: false } as const;
    incidents = [
      { ...own, id: 'small', parts: [makeFinding({ ...place, id: 'small', channel: null, count: 900 })] },
      { ...own, id: 'large', parts: [makeFinding({ ...place, id: 'large', count: 20 })] },
    ];
    await show();
    expect(page.text()).toContain('Without the incident of 22 Nov: from 2.6% to 2.7%.');
    expect(page.find('a[href*="incident=large"]').exists()).toBe(true);
    expect(without.at(-1)?.filter).toEqual({
      conditions: [{ any: [{ conditions: expect.any(Array) as never }], exclude: true }],
    });
    page.unmount();
    incidents = incidents.slice(0, 1);
    await show();
    expect(page.text()).not.toContain('Without the incident');
  });

  it('lead to the records of each group before and after', async () => {
    await show();
    const links = page.findAll('a.records').map((link) => link.attributes('href') ?? '');
    expect(links[0]).toContain('/inbound/detail');
    expect(decodeURIComponent(links[0]!)).toContain('service:7');
    expect(decodeURIComponent(links[0]!)).toContain('period=2026-11-15T00:00..2026-11-15T08:42');
    expect(decodeURIComponent(links[1]!)).toContain('period=2026-11-22T00:00..2026-11-22T08:42');
  });

  it('can both be snapshots: each side is one or a period, by itself', async () => {
    await show('/compare?of=snapshot-4&with=snapshot-5');
    expect(asked()).toMatchObject({
      before: { scope: { snapshotId: 5 } },
      after: { scope: { snapshotId: 4 } },
    });
    expect(page.find('header').text()).toContain('Bad release');
    await page
      .findAll('header button')
      .find((button) => button.text().includes('Bad release'))!
      .trigger('click');
    await flushPromises();
    const items = [...document.querySelectorAll<HTMLElement>('.picker-list .cs-menu-item')];
    expect(items[0]?.textContent).toContain('The period of all screens');
    items[0]?.click();
    await flushPromises();
    expect(router.currentRoute.value.query['of']).toBeUndefined();
    expect(asked()).toMatchObject({ after: { scope: { fromMs: DAY.fromMs } } });
    await press('Compare a snapshot');
    const named = [...document.querySelectorAll<HTMLElement>('.picker-list .cs-menu-item')];
    named.find((item) => item.textContent.includes('Bad release'))?.click();
    await flushPromises();
    expect(router.currentRoute.value.query['of']).toBe('snapshot-4');
    await press('Outbound');
    expect(router.currentRoute.value.query['of']).toBeUndefined();
  });

  it('are followed where new records of them come by themselves', async () => {
    await show();
    expect(page.find('header').text()).toContain('Follow');
    page.unmount();
    await show('/compare?of=snapshot-4');
    expect(page.find('header').text()).not.toContain('Follow');
  });

  it('keep what is chosen in the address, and swap', async () => {
    await show('/compare?by=channel&then=nothing&with=day-before');
    expect(asked()).toMatchObject({
      by: ['channel'],
      before: { scope: { fromMs: DAY.fromMs - 24 * HOUR_MS } },
    });
    await press('Swap before and after');
    expect(router.currentRoute.value.query).toMatchObject({ by: 'channel', swapped: 'yes' });
    expect(asked()).toMatchObject({ before: { scope: { fromMs: DAY.fromMs } } });
  });

  it('are brushed together: a part of one is the same part of the other', async () => {
    await show();
    const plot = page.get('[role=slider]');
    await plot.trigger('keydown', { key: 'ArrowRight' });
    await plot.trigger('keydown', { key: 'ArrowRight' });
    await plot.trigger('keydown', { key: 'Enter' });
    await flushPromises();
    expect(router.currentRoute.value.query['part']).toBe('3600-7200');
    const from = DAY.fromMs + HOUR_MS;
    expect(asked()).toMatchObject({
      after: { filter: { conditions: [{ field: 'dateMs', min: from, max: from + HOUR_MS }] } },
      before: { filter: { conditions: [{ min: from - 168 * HOUR_MS }] } },
    });
    usePeriodStore().select({ kind: 'preset', preset: 'yesterday' });
    await flushPromises();
    expect(router.currentRoute.value.query).toMatchObject({ period: 'yesterday' });
    expect(router.currentRoute.value.query['part']).toBeUndefined();
  });

  it('are whole again at the press of a button', async () => {
    await show('/compare?part=3600-7200');
    await press('Whole period');
    expect(router.currentRoute.value.query['part']).toBeUndefined();
  });

  it('compare with a snapshot of the Library', async () => {
    await show('/compare?with=snapshot-4');
    expect(asked().before.scope).toEqual({ snapshotId: 4 });
    expect(page.text()).toContain('Bad release');
  });

  it('say what of them is not cached, and fetch it', async () => {
    await show('/compare?measure=volume', makeComparison(), HOUR_MS);
    expect(page.text()).toContain('1 h of the period to compare with is not cached.');
    expect(page.text()).toContain('The figures count the cached records only.');
    expect(page.findAll('.box tbody tr')[0]!.text()).toContain('Not all cached');
    await press('Fetch missing');
    expect(backend.countCalls('downloads/fetch-gaps')).toBe(1);
    // Today goes on, and the same part of last week with it: some of what comes next is fetched too.
    const { input } = backend.calls.find(({ name }) => name === 'downloads/fetch-gaps')!;
    const { toMs } = input as { toMs: number };
    expect(toMs - (NOW_MS - 7 * 24 * HOUR_MS)).toBeGreaterThan(0.9 * HOUR_MS);
  });

  it('print few requests as so many of so many, and claim no certainty of them', async () => {
    const few = makeGroup([9], [3, 1, 0, 0], {
      difference: null,
      interval: null,
      certainty: 'only-before',
      contribution: null,
      rate: null,
      mix: null,
    });
    await show('/compare?then=nothing', makeComparison({ groups: [few], parts: [] }));
    expect(page.findAll('.box tbody tr')[0]!.text()).toContain('1 of 3');
    expect(page.findAll('.box tbody tr')[0]!.text()).toContain('Only before');
  });

  it('say of neither more than is known where nothing of one is cached', async () => {
    const unknown = { interval: null, difference: 612, contribution: 612, rate: null, mix: null };
    const groups = [makeGroup([7], [0, 0, 612, 366], { ...unknown, certainty: 'only-after' })];
    const total = makeGroup([], [0, 0, 612, 366], { ...unknown, certainty: 'only-after' });
    const comparison = makeComparison({ total, groups, parts: [] });
    for (const measure of ['volume', 'error-share']) {
      await show(`/compare?then=nothing&measure=${measure}`, comparison, 24 * HOUR_MS);
      expect(page.text()).toContain('One of the periods has no cached requests.');
      expect(page.text()).toContain('Not cached → 612');
      const known = cellsOf(0).filter((text) => text !== '' && text !== '–');
      const share = measure === 'volume' ? [] : ['59.8%'];
      expect(known).toEqual(['Service 7', 'Not cached', '612', ...share, 'Not cached']);
      expect(page.text()).not.toContain('0 requests');
      page.unmount();
    }
    // Some of it is cached: that it holds nothing of this group is still not known.
    await show('/compare?then=nothing', comparison, HOUR_MS);
    expect(cellsOf(0)).toContain('Not all cached');
    page.unmount();
    await show('/compare?then=nothing', comparison);
    expect(cellsOf(0)).toContain('Only after');
  });

  it('are never those of a connection that was left', async () => {
    await show();
    useConnectionsStore().show('two');
    await flushPromises();
    expect(page.find('table').exists()).toBe(false);
    expect(page.findComponent(CompareSkeleton).exists()).toBe(true);
  });

  it('are no comparison where neither has records', async () => {
    const total = makeGroup([], [0, 0, 0, 0], { difference: null, interval: null, contribution: null });
    await show('/compare', { total, groups: [], parts: [], unlistedCount: 0 });
    expect(page.text()).toContain('No cached records in either period');
    expect(page.find('table').exists()).toBe(false);
  });
});
