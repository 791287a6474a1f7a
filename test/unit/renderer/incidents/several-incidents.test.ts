import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Input, Output } from '../../../../src-main/common/contract/index.ts';
import IncidentsScreen from '../../../../src-renderer/screens/incidents/IncidentsScreen.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { makeFinding } from '../../../support/findings/make-finding.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const NOW_MS = Date.UTC(2026, 10, 27, 9, 12);
const HOUR_MS = 3_600_000;
const CONNECTIONS = [
  makeConnection({ id: 'one', name: 'Bank', serviceZone: 'UTC', tenant: 1 }),
  makeConnection({
    id: 'two',
    name: 'Shop',
    serviceZone: 'UTC',
    tenant: 2,
    names: [{ field: 'channel', value: '3', name: 'WhatsApp' }],
  }),
  makeConnection({ id: 'three', name: 'Airline', serviceZone: 'Europe/Madrid', tenant: 3 }),
];
const toListed = (own: Partial<Output<'incidents/list'>>): Output<'incidents/list'> => ({
  incidents: [],
  untilMs: NOW_MS,
  gaps: [],
  unjudgedDays: 0,
  ...own,
});
const toIncident = (sinceMs: number) => ({
  id: 'same',
  state: 'resolved' as const,
  name: '',
  note: '',
  isMerged: false,
  parts: [makeFinding({ id: 'same', channel: 3, service: null, sinceMs, endedMs: sinceMs + HOUR_MS })],
});
const LISTS: Readonly<Record<string, Output<'incidents/list'>>> = {
  one: toListed({ incidents: [toIncident(NOW_MS - 9 * HOUR_MS)] }),
  two: toListed({ incidents: [toIncident(NOW_MS - 8 * HOUR_MS)] }),
  three: toListed({ untilMs: null }),
};

let screens: VueWrapper[];
/** Connections that were asked about, and those with days that were not judged before. */
let asked: string[];
let unjudged: readonly string[];
let figures: Input<'several/read-figures'>[];
let gaps: readonly { fromMs: number; toMs: number }[];
beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
  [screens, asked, unjudged, figures, gaps] = [[], [], [], [], []];
});
afterEach(() => {
  for (const screen of screens) screen.unmount();
  vi.useRealTimers();
  document.body.innerHTML = '';
});

async function show(
  path: string,
  waitFor: (connectionId: string) => Promise<void> = () => Promise.resolve(),
) {
  const backend = new ScriptedBackend({
    'connections/list': () => CONNECTIONS,
    'coverage/read': () => ({ gaps, unreadyRecords: 0 }) as never,
    'incidents/list': async (input) => {
      asked.push(input.connectionId);
      await waitFor(input.connectionId);
      return LISTS[input.connectionId] ?? toListed({});
    },
    'incidents/list-kept': ({ connectionIds }) => {
      asked.push(...connectionIds);
      return connectionIds.map((connectionId) => ({
        connectionId,
        ...(unjudged.includes(connectionId) ? toListed({ unjudgedDays: 2 }) : LISTS[connectionId]!),
      }));
    },
    'findings/stop-list': () => null,
    'analysis/group-records': () =>
      ({
        groups: [],
        total: { count: 0, failures: 0, response: {} },
        groupCount: 0,
        unlistedCount: 0,
      }) as never,
    'records/read-histogram': () => ({ split: 'class', series: [], buckets: [] }),
    'several/read-figures': (input) => {
      figures.push(input);
      const known = { unknown: 0, failedSessions: 1, failedClients: 1, medianMs: 1, p95Ms: 2 };
      return [
        {
          connectionId: 'two',
          missingMs: HOUR_MS,
          figures: { ...known, count: 200, failures: 50, sameErrors: 12 },
        },
        { connectionId: 'three', missingMs: 2 * HOUR_MS, figures: null },
      ];
    },
  });
  const { global, router } = await provideApplication(backend, path);
  await useConnectionsStore().load();
  useConnectionsStore().show('one');
  const screen = mount(IncidentsScreen, { global, attachTo: document.body });
  screens.push(screen);
  await flushPromises();
  return { screen, router };
}
const readRows = (screen: VueWrapper): string[] =>
  screen.findAll('[role=grid] tbody tr').map((row) => row.text().replace(/\s+/gu, ' '));

describe('incidents of several connections', () => {
  it('are of the connection of the window alone until others are chosen', async () => {
    const { screen } = await show('/incidents?period=yesterday');
    expect(readRows(screen)).toHaveLength(1);
    expect(readRows(screen)[0]).not.toContain('Bank');
    expect(new Set(asked)).toEqual(new Set(['one']));
    expect(screen.text()).toContain('This connection');
  });

  it('are in one list, each with its connection and named as that names its channels', async () => {
    const { screen } = await show('/incidents?period=yesterday&connections=all');
    const rows = readRows(screen);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^ ?Shop.*WhatsApp 3/u);
    expect(rows[1]).toMatch(/^ ?Bank.*Channel 3/u);
    expect(screen.text()).toContain('All 3 connections');
    expect(screen.text()).toContain('All 2');
  });

  it('are asked of all at once: those of one connection do not wait for another that takes long', async () => {
    unjudged = ['two'];
    const { screen } = await show('/incidents?period=yesterday&connections=all', (connectionId) =>
      connectionId === 'two' ? new Promise(() => undefined) : Promise.resolve(),
    );
    expect(new Set(asked)).toEqual(new Set(['one', 'two', 'three']));
    expect(screen.text()).toContain('Nothing of the period is cached: Airline.');
  });

  it('says of which connection nothing is cached, and in what they differ', async () => {
    const { screen } = await show('/incidents?period=yesterday&connections=one,two,three');
    expect(screen.text()).toContain('Nothing of the period is cached: Airline.');
    expect(screen.text()).toContain('in the clock of Bank');
  });

  it('says nothing in the head of what is missing of one of them alone', async () => {
    gaps = [{ fromMs: NOW_MS - 40 * HOUR_MS, toMs: NOW_MS - 12 * HOUR_MS }];
    const alone = await show('/incidents?period=last-24-hours');
    expect(alone.screen.find('header').text()).toContain('missing');
    expect(alone.screen.find('[aria-label="How much of the period is cached"]').exists()).toBe(true);
    const { screen } = await show('/incidents?period=last-24-hours&connections=all');
    expect(screen.find('header').text()).not.toContain('missing');
    expect(screen.find('[aria-label="How much of the period is cached"]').exists()).toBe(false);
  });

  it('leaves out the connections that are not chosen, and says when a link names one that is not here', async () => {
    const { screen } = await show('/incidents?period=yesterday&connections=one,two,gone');
    expect(asked).not.toContain('three');
    expect(screen.text()).toContain("One connection of this link isn't saved here.");
  });

  it('leads to an incident in its own connection, with the same period', async () => {
    const { screen, router } = await show('/incidents?period=yesterday&connections=all');
    await screen.findAll('[role=grid] tbody tr')[0]?.trigger('click');
    await flushPromises();
    expect(router.currentRoute.value.query).toMatchObject({
      connection: 'two',
      incident: 'same',
      period: 'yesterday',
      connections: 'all',
    });
  });

  it('shows beside an incident what the other connections had in the same time', async () => {
    const { screen } = await show('/incidents?period=yesterday&incident=same');
    expect(figures[0]).toMatchObject({
      connectionIds: ['two', 'three'],
      fromMs: NOW_MS - 9 * HOUR_MS,
      toMs: NOW_MS - 8 * HOUR_MS,
      family: { connectionId: 'one' },
    });
    const panel = screen.text().replace(/\s+/gu, ' ');
    expect(panel).toContain('Other connections at the same time');
    expect(panel).toContain('1 of 1 other connections with cached records have this error too.');
    expect(panel).toMatch(/Shop1 h missing12 ?25.0? ?%|Shop.*12.*25/u);
    expect(panel).toContain('AirlineNot cached');
  });
});
