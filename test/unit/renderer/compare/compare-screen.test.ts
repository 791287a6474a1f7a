import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Router } from 'vue-router';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { Incident } from '../../../../src-main/common/model/analysis/incident.ts';
import type { Comparison } from '../../../../src-main/common/model/analysis/comparison.ts';
import CompareScreen from '../../../../src-renderer/screens/compare/CompareScreen.vue';
import CompareSkeleton from '../../../../src-renderer/screens/compare/CompareSkeleton.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { usePeriodStore } from '../../../../src-renderer/stores/window/times.ts';
import { makeFinding } from '../../../support/findings/make-finding.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeComparison, makeGroup } from './make-comparison.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 8, 42);
const HOUR_MS = 3_600_000;
const DAY = { fromMs: Date.UTC(2026, 10, 22), toMs: NOW_MS };

const NAMES = [{ field: 'service' as const, value: '7', name: 'Payments' }];

/** Incidents of today. */
let incidents: Incident[];
let otherZone: string;
/** Whether the list of snapshots can't be read. */
let isUnlisted = false;
/** Whether the other connection never answers. */
let isSlow = false;
let without: Input<'analysis/group-records'>[];
let page: VueWrapper;
let router: Router;
let backend: ScriptedBackend;

/** Shows the screen of today; `missingMs` of the period to compare with is not cached. */
async function show(
  path = '/compare',
  comparison: Comparison = makeComparison(),
  missingMs = 0,
  missingOf = 'one',
): Promise<void> {
  backend = new ScriptedBackend({
    'app/get-info': () => ({}) as never,
    'settings/get': () => makeSettings(),
    'settings/update': (change) => makeSettings(change),
    'connections/list': () => [
      makeConnection({ id: 'one', name: 'Fabrikam', serviceZone: 'UTC', names: NAMES }),
      makeConnection({ id: 'two', name: 'Contoso', serviceZone: otherZone }),
    ],
    'following/list': () => [],
    'snapshots/list': () => {
      if (isUnlisted) throw new AppError('cache.io-failed', 'The disk failed.');
      return [
        makeSnapshot(DAY, { id: 4, name: 'Bad release' }),
        makeSnapshot(DAY, { id: 5, name: 'The day before' }),
      ];
    },
    'snapshots/read-storage': () => ({}) as never,
    'coverage/read': ({ connectionId, fromMs }) => ({
      buckets: [],
      gaps:
        missingMs === 0 || connectionId !== missingOf || (missingOf === 'one' && fromMs === DAY.fromMs)
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
    'incidents/list-kept': ({ period }) => [
      {
        connectionId: 'two',
        incidents: period.fromMs === DAY.fromMs ? incidents : [],
        ...{ unjudgedDays: 0, untilMs: NOW_MS, gaps: [] },
      },
    ],
    'analysis/group-records': (question) => {
      without.push(question);
      const failures = JSON.stringify(question.filter).includes('"channel"') ? 29 : 380;
      return { total: { count: 1075, failures, response: {} } } as never;
    },
    'compare/compare-groups': ({ after: { scope } }) =>
      'connectionId' in scope && scope.connectionId === 'two' && isSlow
        ? new Promise(() => undefined)
        : comparison,
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

describe('two connections on the Compare screen', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS });
    [incidents, without, otherZone] = [[], [], 'UTC'];
  });
  afterEach(() => {
    page.unmount();
    vi.useRealTimers();
  });
  const WITH_TWO = '/compare?with=connection-two';

  it('have the same period, and are spoken of by their names, never as a change in time', async () => {
    await show(WITH_TWO);
    const period = { report: 'inbound-detail', fromMs: DAY.fromMs, toMs: NOW_MS + 1000 };
    expect(asked()).toMatchObject({
      before: { scope: { connectionId: 'two', ...period } },
      after: { scope: { connectionId: 'one', ...period } },
    });
    const text = page.text();
    expect(text).toContain(
      'Error share is higher at Fabrikam (23.4%) than at Contoso (2.6%), nearly all of it because Service 7 fails more there.',
    );
    expect(page.findAll('.box thead .over').map((head) => head.text())).toEqual(
      expect.arrayContaining(['Contoso', 'Fabrikam']),
    );
    for (const word of ['Before', 'After', 'rose', 'What changed', '→']) expect(text).not.toContain(word);
    expect(text).toContain('Groups are matched by their values');
    // An own name is one of a single connection.
    expect(text).not.toContain('Payments');
    expect(without).toEqual([]);
  });

  it('lead to the records of each in its own connection', async () => {
    await show(WITH_TWO);
    // In the order of the sentence: the one that is spoken of first.
    const [own, other] = page.findAll('a.records').map((link) => link.attributes('href') ?? '');
    expect(own).toContain('connection=one');
    expect(other).toContain('connection=two');
    expect(page.get('a.records').attributes('title')).toBe('Open the records of Service 7 at Fabrikam');
    const heads = page.findAll('.box thead .over').map((head) => head.text());
    expect(heads.filter((head) => ['Contoso', 'Fabrikam'].includes(head))).toEqual(['Fabrikam', 'Contoso']);
  });

  it('are chosen in the menu, kept in the address and swapped', async () => {
    await show();
    await page
      .findAll('header button')
      .find((button) => button.text().includes('Same weekday last week'))!
      .trigger('click');
    await flushPromises();
    const items = [...document.querySelectorAll<HTMLElement>('.picker-list .cs-menu-item')];
    items.find((item) => item.textContent.trim() === 'Contoso')!.click();
    await flushPromises();
    expect(router.currentRoute.value.query['with']).toBe('connection-two');
    await press('Swap the two connections');
    expect(page.text()).toContain('Error share is higher at Contoso (23.4%) than at Fabrikam (2.6%)');
    await press('Outbound');
    expect(router.currentRoute.value.query['with']).toBe('connection-two');
  });

  it('say what is missing of which, and in what they differ', async () => {
    otherZone = 'Europe/Berlin';
    await show(WITH_TWO, makeComparison(), HOUR_MS, 'two');
    expect(page.text()).toContain('Not fully cached: Contoso (1 h missing).');
    expect(page.text()).toContain('The services have different time zones.');
    await press('Fetch missing');
    const { input } = backend.calls.find(({ name }) => name === 'downloads/fetch-gaps')!;
    expect(input).toMatchObject({ connectionId: 'two' });
    page.unmount();
    await show(WITH_TWO, makeComparison(), NOW_MS + 1000 - DAY.fromMs, 'two');
    expect(page.text()).toContain('Nothing of the period is cached: Contoso.');
  });

  it('are both named in the file of the table', async () => {
    const texts: string[] = [];
    vi.stubGlobal('URL', {
      createObjectURL: (blob: Blob) => (void blob.text().then((text) => texts.push(text)), 'blob:x'),
      revokeObjectURL: () => undefined,
    });
    const names: string[] = [];
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
      this: HTMLAnchorElement,
    ) {
      names.push(this.download);
    });
    await show(WITH_TWO);
    await press('Export the table as CSV');
    await flushPromises();
    click.mockRestore();
    vi.unstubAllGlobals();
    expect(names).toEqual(['comparison-fabrikam-contoso-inbound-error-share-2026-11-22.csv']);
    expect(texts[0]).toContain('Contoso.count');
    expect(texts[0]).toContain('Fabrikam.count');
  });

  it('are never another comparison where one of them is gone, or both are one', async () => {
    for (const [id, sentence] of [
      ['three', "This link compares with a connection that isn't saved here."],
      ['one', "A connection can't be compared with itself."],
    ] as const) {
      await show(`/compare?with=connection-${id}`);
      expect(page.text()).toContain(sentence);
      expect(backend.countCalls('compare/compare-groups')).toBe(0);
      expect(page.find('table').exists()).toBe(false);
      page.unmount();
    }
    await show();
  });
});

describe('two periods on the Compare screen', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS });
    [incidents, without, otherZone] = [[], [], 'UTC'];
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

  it('say nothing of how volumes changed where part of a period is not cached', async () => {
    const ratios = (): string[] => page.findAll('table.facts tr').map((row) => row.get('td.end').text());
    await show('/compare?measure=volume');
    expect(page.get('.sentence').text()).toMatch(/^Volume rose from 1,402 to 1,687/u);
    expect(
      ratios()
        .slice(0, 4)
        .every((ratio) => ratio !== ''),
    ).toBe(true);
    page.unmount();
    await show('/compare?measure=volume', makeComparison(), HOUR_MS);
    expect(page.get('.sentence').text()).toBe("Part of a period isn't cached, so volumes can't be compared.");
    const [volume, share, sessions, clients] = ratios();
    expect([volume, sessions, clients]).toEqual(['', '', '']);
    expect(share).not.toBe('');
  });

  it('lead to the records of each group before and after', async () => {
    await show();
    const links = page.findAll('a.records').map((link) => link.attributes('href') ?? '');
    expect(links[0]).toContain('/inbound/detail');
    expect(decodeURIComponent(links[0]!)).toContain('service:7');
    expect(decodeURIComponent(links[0]!)).toContain('period=2026-11-15T00:00..2026-11-15T08:42');
    expect(decodeURIComponent(links[1]!)).toContain('period=2026-11-22T00:00..2026-11-22T08:42');
  });

  it('says why a snapshot that a link names is not shown where the list of them cannot be read', async () => {
    isUnlisted = true;
    await show('/compare?with=snapshot-4');
    expect(page.findComponent(CompareSkeleton).exists()).toBe(false);
    expect(page.text()).toContain('Disk error');
    isUnlisted = false;
    await press('Try again');
    expect(asked()).toMatchObject({ before: { scope: { snapshotId: 4 } } });
    expect(page.text()).not.toContain('Disk error');
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
    expect(items[0]?.textContent).toContain('Current period');
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
    isSlow = true;
    await show();
    useConnectionsStore().show('two');
    await flushPromises();
    expect(page.find('table').exists()).toBe(false);
    expect(page.findComponent(CompareSkeleton).exists()).toBe(true);
    isSlow = false;
  });

  it('are no comparison where neither has records', async () => {
    const total = makeGroup([], [0, 0, 0, 0], { difference: null, interval: null, contribution: null });
    await show('/compare', { total, groups: [], parts: [], unlistedCount: 0 });
    expect(page.text()).toContain('No cached records in either period');
    expect(page.find('table').exists()).toBe(false);
  });

  it.each([
    ['with=snapshot-77', 'This snapshot was deleted', 'Same weekday last week'],
    ['of=snapshot-77', 'This snapshot was deleted', 'Current period'],
    ['with=snapshot-4&direction=outbound', 'holds no outbound records', 'Same weekday last week'],
  ])('compares nothing in place of a snapshot that it has not (%s)', async (query, words, way) => {
    await show(`/compare?${query}`);
    expect(page.text()).toContain(words);
    expect(backend.calls.some(({ name }) => name === 'compare/compare-groups')).toBe(false);
    await press(way);
    expect(page.text()).not.toContain(words);
    expect(asked().after.scope).toMatchObject({ connectionId: 'one', fromMs: DAY.fromMs });
  });
});
