import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Input, Output } from '../../../../src-main/common/contract/index.ts';
import type { Incident } from '../../../../src-main/common/model/analysis/incident.ts';
import IncidentsScreen from '../../../../src-renderer/screens/incidents/IncidentsScreen.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { makeFinding } from '../../../support/findings/make-finding.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const NOW_MS = Date.UTC(2026, 10, 27, 9, 12);
const HOUR_MS = 3_600_000;
const toIncident = (own: Partial<Incident>): Incident => ({
  ...{ id: 'one', state: 'resolved', name: '', note: '', isMerged: false, parts: [makeFinding()] },
  ...own,
});
const slow = makeFinding({
  ...{ id: 'slow', kind: 'slower', channel: 1, service: 2, sinceMs: NOW_MS - 2 * HOUR_MS, endedMs: null },
  ...{ recent: 1176, usual: 196, errorFamily: null, count: 500, sessionCount: 318, clientCount: 291 },
});
const LISTED: Incident[] = [
  toIncident({ id: 'slow', state: 'ongoing', parts: [slow] }),
  toIncident({
    ...{ id: 'again', state: 'came-back', name: '<img src=x> release' },
    parts: [makeFinding({ id: 'again' }), makeFinding({ id: 'b', sinceMs: NOW_MS - 9 * HOUR_MS, count: 9 })],
  }),
  toIncident({
    ...{ id: 'silent', state: 'dismissed', note: 'Kiosks closed' },
    parts: [
      makeFinding({ kind: 'volume-down', id: 'silent', channel: 6, service: null, recent: 0, usual: 12.4 }),
    ],
  }),
];

let screens: VueWrapper[];
let changed: Input<'incidents/change'>[];
let grouped: Input<'incidents/group'>[];
let stopped: string[];
let measured: Input<'analysis/group-records'>[];
beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
  [screens, changed, grouped, stopped] = [[], [], [], []];
  measured = [];
});
afterEach(() => {
  for (const screen of screens) screen.unmount();
  vi.useRealTimers();
  document.body.innerHTML = '';
});

/** Origin 7 is slow in the incident; before it, everything takes as long as usual. */
function groupRecords({ scope, by }: Input<'analysis/group-records'>): Output<'analysis/group-records'> {
  const isBefore = 'toMs' in scope && scope.toMs === slow.sinceMs;
  const toGroup = (key: (number | string | null)[], count: number, medianMs: number) =>
    ({ key, count, failures: count / 10, response: { medianMs: isBefore ? 196 : medianMs } }) as never;
  const ofField: Readonly<Record<string, ReturnType<typeof toGroup>[]>> = {
    origin: [toGroup([7], 90, 1400), toGroup([null], 10, 196), toGroup([3], 2, 5)],
    'payload.order.kind': [toGroup(['return'], 80, 1300), toGroup(['x'.repeat(1000)], 22, 196)],
  };
  const groups = ofField[by[0] ?? ''] ?? [];
  return { groups, total: toGroup([], 102, 1176), groupCount: groups.length, unlistedCount: 0 };
}

type List = (input: Input<'incidents/list'>) => Output<'incidents/list'> | Promise<Output<'incidents/list'>>;

type ListKept = (
  input: Input<'incidents/list-kept'>,
) => Output<'incidents/list'> | Promise<Output<'incidents/list'>>;

async function show(
  own: Partial<Output<'incidents/list'>> = {},
  path = '/incidents?period=yesterday',
  list: List = () => ({ incidents: LISTED, untilMs: NOW_MS, gaps: [], unjudgedDays: 0, ...own }),
  listKept: ListKept = () => ({ incidents: LISTED, untilMs: NOW_MS, gaps: [], unjudgedDays: 0, ...own }),
) {
  const backend = new ScriptedBackend({
    'connections/list': () => [makeConnection({ id: 'one', serviceZone: 'UTC' })],
    'coverage/read': () => ({ gaps: [], unreadyRecords: 0 }) as never,
    'incidents/list': list,
    'incidents/list-kept': async (input) => [{ connectionId: 'one', ...(await listKept(input)) }],
    'findings/stop-list': ({ listId }) => {
      stopped.push(listId);
      return null;
    },
    'incidents/change': (input) => {
      changed.push(input);
      return null;
    },
    'incidents/group': (input) => {
      grouped.push(input);
      return null;
    },
    'analysis/group-records': (question) => {
      measured.push(question);
      return groupRecords(question);
    },
    'records/read-histogram': ({ fromMs, toMs }) => ({
      split: 'class',
      series: [{ kind: 'class', codeClass: '5xx' }],
      buckets: [{ fromMs, toMs, counts: [100], medianResponseMs: 12 }],
    }),
  });
  const { global, router } = await provideApplication(backend, path);
  await useConnectionsStore().load();
  const screen = mount(IncidentsScreen, { global, attachTo: document.body });
  screens.push(screen);
  await flushPromises();
  return { screen, backend, router };
}
const readRows = (screen: VueWrapper): string[] =>
  screen.findAll('[role=grid] tbody tr').map((row) => row.text().replace(/\s+/gu, ' '));
async function press(text: string): Promise<void> {
  const button = [...document.body.querySelectorAll('button')].find((one) => one.textContent.trim() === text);
  expect(button, text).toBeDefined();
  button?.click();
  await flushPromises();
}

describe('the incidents of a period', () => {
  it('lists place, onset, size, whom it hit and the state, and names as text', async () => {
    const { screen } = await show();
    const rows = readRows(screen);
    expect(rows[0]).toContain('Channel 1 / Service 2Slow');
    expect(rows[0]).toContain('6× slowerusually 196 ms');
    expect(rows[0]).toContain('318291');
    expect(rows[0], 'known up to then').toContain('Ongoingas of 09:00');
    expect(rows[1]).toContain('<img src=x> releaseErrors, Channel 3 / Service 7');
    expect(rows[1]).toContain('1 h 48 min + 1 h 48 min');
    expect(screen.text(), 'a length is never in two lines').toContain(
      '1\u{a0}h\u{a0}48\u{a0}min + 1\u{a0}h\u{a0}48\u{a0}min',
    );
    expect(rows[1]).toContain('231 + 231');
    expect(rows[1]).toContain('Came back27 Nov 00:12');
    expect(rows[2]).toContain('No requests655 of about 12');
    expect(rows[2]).toContain('––');
    expect(screen.find('img').exists()).toBe(false);
  });

  it('shows those of a state or a kind, which the address carries', async () => {
    const { screen, router } = await show({}, '/incidents?period=yesterday&kind=slower');
    expect(readRows(screen)).toHaveLength(1);
    await router.push('/incidents?period=yesterday&state=dismissed');
    await flushPromises();
    expect(readRows(screen)).toHaveLength(1);
    expect(screen.text()).toContain('Dismissed 1');
    await router.push('/incidents?period=yesterday&state=dismissed&kind=down');
    await flushPromises();
    expect(screen.text()).toContain('No incident matches');
  });

  it('says that nothing stood out only where all could be judged', async () => {
    const size = { size: 0.04, hours: 24 };
    const channels = [{ channel: 1, failing: size, fewer: { size: 0.6, hours: 24 } }];
    const { screen } = await show({ incidents: [], noticed: { minutes: 15, hours: 24, channels } });
    expect(screen.text()).toContain('Nothing stood out');
    expect(screen.text()).toContain('An error rate above 4.0% or a drop of more than 60% for 15 min');
    const gap = {
      direction: 'inbound',
      reason: 'not-cached',
      fromMs: NOW_MS - HOUR_MS,
      toMs: NOW_MS,
    } as const;
    const { screen: unsure } = await show({ incidents: [], gaps: [gap] });
    expect(unsure.text()).toContain('Nothing stood out in cached records');
    const { screen: none } = await show({ incidents: [], untilMs: null });
    expect(none.text()).toContain('No records of this period');
  });

  it('shows what was judged before at once, and says what is still to come', async () => {
    let finish = (): void => undefined;
    const judged = new Promise<void>((resolve) => (finish = resolve));
    const known = { untilMs: NOW_MS, gaps: [] };
    const list: List = async () => {
      await judged;
      return { incidents: LISTED, unjudgedDays: 0, ...known };
    };
    const listKept = () => ({ incidents: LISTED.slice(0, 1), unjudgedDays: 3, ...known });
    const { screen } = await show({}, undefined, list, listKept);
    expect(readRows(screen)).toHaveLength(1);
    expect(screen.text()).toContain('Checking 3 more days…');
    finish();
    await flushPromises();
    expect(readRows(screen)).toHaveLength(LISTED.length);
    expect(screen.text()).not.toContain('Checking');
  });

  it('says nothing of days that were not judged yet, and stops when it is left', async () => {
    const asked: Input<'incidents/list'>[] = [];
    const list: List = (input) => {
      asked.push(input);
      return new Promise(() => undefined);
    };
    const { screen } = await show({}, undefined, list, () => ({
      incidents: [],
      untilMs: NOW_MS,
      gaps: [],
      unjudgedDays: 1,
    }));
    expect(screen.text()).toContain('Checking one more day…');
    expect(screen.text()).not.toContain('Nothing stood out');
    screen.unmount();
    screens.pop();
    await flushPromises();
    expect(stopped).toEqual(asked.flatMap(({ listId }) => listId ?? []));
  });

  it('dismisses an incident, and takes that back', async () => {
    await show({}, '/incidents?period=yesterday&incident=again');
    await press('Not an incident');
    expect(changed).toMatchObject([{ connectionId: 'one', change: { isDismissed: true } }]);
    expect(changed[0]?.parts.map(({ id }) => id)).toEqual(['again', 'b']);
    await show({}, '/incidents?period=yesterday&incident=silent');
    expect(document.body.textContent).toContain('Kiosks closed');
    await press('Is an incident');
    expect(changed[1]?.change).toEqual({ isDismissed: false });
  });

  it('parts what was merged, and leads to the records of a direction', async () => {
    const merged = toIncident({ id: 'again', isMerged: true });
    const { router } = await show({ incidents: [merged] }, '/incidents?period=yesterday&incident=again');
    await press('Separate');
    expect(grouped).toMatchObject([{ connectionId: 'one', isOne: false }]);
    await press('View records 412');
    expect(router.currentRoute.value.path).toBe('/inbound/detail');
    expect(String(router.currentRoute.value.query['q'])).toContain('channel:3');
  });

  it('can be sorted by how long they were there, in all', async () => {
    const { screen } = await show();
    const head = screen.findAll('thead th').find((one) => one.text().startsWith('Duration'));
    await head?.find('button').trigger('click');
    expect(readRows(screen)[0]).toContain('release');
    await head?.find('button').trigger('click');
    expect(readRows(screen).at(-1)).toContain('release');
  });

  it('shows a place among those that it is part of and its own parts, while it lasted and before', async () => {
    const { screen } = await show({}, '/incidents?period=yesterday&incident=slow');
    const rows = screen.findAll('.places tbody tr').map((row) => row.text().replace(/\s+/gu, ' '));
    expect(screen.findAll('.places tbody th').map((cell) => cell.text())).toEqual([
      ...['All traffic', 'Channel 1', 'Service 2', 'Channel 1 / Service 2'],
      ...['Origin 7', 'No Origin'],
    ]);
    expect(rows.at(-2)).toContain('1,400 ms');
    expect(rows.at(-2)).toContain('196 ms');
    // The same time before, and no field that inbound records lack.
    expect(new Set(measured.map(({ scope }) => 'toMs' in scope && scope.toMs - scope.fromMs))).toEqual(
      new Set([slow.untilMs - slow.sinceMs]),
    );
    expect(measured.flatMap(({ by }) => by)).not.toContain('actionId');
    const link = screen.findAll('.places a').at(-2)?.attributes('href') ?? '';
    expect(decodeURIComponent(link)).toContain('origin');
  });

  it('has the keys that the connection uses among its parts, with what was usual before', async () => {
    const { screen, backend } = await show({}, '/incidents?period=yesterday&incident=slow');
    useAppStore();
    const shownPaths = { one: { fields: ['payload.order.kind'] }, two: { fields: ['payload.other'] } };
    backend.emit('settings/changed', makeSettings({ shownPaths }));
    await flushPromises();
    const heads = screen.findAll('.places tbody th').map((cell) => cell.text());
    expect(heads.slice(-3)).toEqual(['Origin 7', 'No Origin', 'payload.order.kind return']);
    const row = screen.findAll('.places tbody tr').at(-1)?.text() ?? '';
    expect([row.includes('1,300 ms'), row.includes('196 ms')]).toEqual([true, true]);
    const link = screen.findAll('.places a').at(-1)?.attributes('href') ?? '';
    expect(decodeURIComponent(link)).toContain('payload.order.kind:=return');
    expect(measured.flatMap(({ by }) => by)).not.toContain('payload.other');
  });

  it('is opened by any of its parts', async () => {
    const { screen } = await show({}, '/incidents?period=yesterday&incident=b');
    expect(screen.text()).toContain('2 of 3');
  });
});
