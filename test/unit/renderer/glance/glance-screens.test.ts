import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { h, type Component } from 'vue';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { FindingsReport } from '../../../../src-main/common/model/analysis/finding.ts';
import GlanceScreen from '../../../../src-renderer/screens/glance/GlanceScreen.vue';
import WallScreen from '../../../../src-renderer/screens/glance/WallScreen.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeGlance, NOW } from './make-glance.ts';

const CALM: FindingsReport = { findings: [], resolved: [], untilMs: NOW, gaps: [] };
const TROUBLE: FindingsReport = {
  ...CALM,
  findings: [
    {
      id: 'one',
      kind: 'errors-up',
      also: [],
      part: null,
      directions: ['inbound'],
      channel: 3,
      service: 7,
      within: [],
      sinceMs: NOW - 600_000,
      endedMs: null,
      untilMs: NOW,
      requests: 58,
      count: 33,
      recent: 0.57,
      usual: 0.02,
      source: 'days',
      errorFamily: null,
      sessionCount: 0,
      clientCount: 0,
      isNewFamily: false,
      shown: [],
      examples: [],
      filter: { conditions: [] },
      trend: [],
    },
  ],
};

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

type Answers = ConstructorParameters<typeof ScriptedBackend>[0];

async function show(component: Component, answers: Answers = {}): Promise<VueWrapper> {
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'macos', host: 'web', nowMs: NOW, keychain: {} }) as never,
    'settings/get': () => makeSettings({ clock: 'utc' }),
    'connections/list': () => [
      makeConnection({ id: 'a', name: 'Europe', tenant: 1001 }),
      makeConnection({
        id: 'b',
        name: 'Asia',
        tenant: 1003,
        names: [{ field: 'channel', value: '3', name: 'Web chat' }] as never,
      }),
    ],
    'connections/list-set-aside': () => ({ names: [], fileName: '', keptFile: null }),
    'glance/read': () => [
      makeGlance({ connectionId: 'a' }),
      makeGlance({
        connectionId: 'b',
        latest: {
          platform: 'unreachable',
          connector: 'unreachable',
          checkedAtMs: NOW - 60_000,
          failure: 'client.timeout',
        },
        hour: { fromMs: NOW - 5 * 3_600_000, toMs: NOW - 4 * 3_600_000, count: 46, failures: 1 },
      }),
    ],
    'findings/list': ({ connectionId }) => (connectionId === 'b' ? TROUBLE : CALM),
    ...answers,
  });
  const { global } = await provideApplication(backend);
  await useAppStore().load();
  await useConnectionsStore().load();
  const page = mount({ render: () => h(TooltipProvider, () => h(component)) }, { global });
  await flushPromises();
  await flushPromises();
  return page;
}

it('all connections: each in a row, with its own names, and nothing claimed of one that is not reached', async () => {
  const page = await show(GlanceScreen);
  const rows = page.findAll('tbody tr').map((row) => row.text());
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain('Europe');
  expect(rows[0]).toContain('Up');
  expect(rows[0]).toContain('162');
  expect(rows[0]).toContain('usually 158');
  expect(rows[0]).toContain('24.1%');
  expect(rows[0]).toContain('Nothing stands out');
  expect(rows[1]).toContain('Unreachable');
  expect(rows[1]).toContain('last reported Up');
  expect(rows[1]).not.toMatch(/\bUp\b.*for /u);
  expect(rows[1]).toContain('not the last hour');
  expect(rows[1]).toContain('Web chat 3');
  expect(page.text()).toContain('1 unreachable');
});

it('all connections: shows that findings are read, but not where they could not be', async () => {
  const { promise, reject } = Promise.withResolvers<FindingsReport>();
  const page = await show(GlanceScreen, {
    'findings/list': ({ connectionId }) => (connectionId === 'a' ? CALM : promise),
  });
  const isBusy = () => page.findAll('tbody tr').map((row) => row.find('[aria-busy]').exists());
  expect(isBusy()).toEqual([false, true]);
  reject(new AppError('app.bug', 'No.'));
  await flushPromises();
  expect(isBusy()).toEqual([false, false]);
});

it('the wall: what nothing is known of has a ring, not the disc of what works, and no peak', async () => {
  const nothing = makeGlance().buckets.map((bucket) => ({
    ...bucket,
    isCached: false,
    count: 0,
    failures: 0,
  }));
  const unsure: FindingsReport = {
    ...CALM,
    gaps: [{ direction: 'inbound', reason: 'not-cached', fromMs: NOW - 3_600_000, toMs: NOW }],
  };
  const page = await show(WallScreen, {
    'glance/read': () => [
      makeGlance({ connectionId: 'a', buckets: nothing }),
      makeGlance({ connectionId: 'b' }),
    ],
    'findings/list': ({ connectionId }) => (connectionId === 'a' ? unsure : CALM),
  });
  const [first, second] = page.findAll('section');
  expect(first?.find('.dot').attributes('data-trouble')).toBe('unsure');
  expect(first?.text()).not.toContain('peak');
  expect(first?.find('.missing').text()).toBe('not cached');
  expect(second?.find('.dot').attributes('data-trouble')).toBe('none');
  expect(second?.text()).toContain('peak');
  expect(second?.find('.missing').exists()).toBe(false);
});

it('the wall: nothing is said of a connection before it is read', async () => {
  const page = await show(WallScreen, { 'glance/read': () => new Promise(() => undefined) });
  const [first] = page.findAll('section');
  expect(first?.find('.dot').attributes('data-trouble')).toBe('unsure');
  expect(first?.find('.age').text()).toBe('');
});

it('the wall: trouble comes first, and Escape leaves it', async () => {
  const page = await show(WallScreen);
  expect(page.findAll('h2').map((title) => title.text())).toEqual(['Asia', 'Europe']);
  expect(page.text()).toContain('15:50:00');
  // Cards that don't fit are reached by keyboard.
  expect(page.get('[role=region]').attributes('tabindex')).toBe('0');
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  await flushPromises();
  expect(page.vm.$router.currentRoute.value.path).toBe('/connections');
});

it('one connection whose records can not be read keeps back none of the others', async () => {
  const page = await show(GlanceScreen, {
    'findings/list': ({ connectionId }) =>
      connectionId === 'a' ? Promise.reject(new AppError('analysis.stopped', 'It stopped.')) : TROUBLE,
  });
  const [first, second] = page.findAll('tbody tr').map((row) => row.text());
  expect(first).not.toContain('Nothing stands out');
  expect(second).toContain('Web chat 3');
});

it.each([GlanceScreen, WallScreen])(
  'says how much would have been noticed, and leads to an incident',
  async (screen) => {
    const size = { size: 0.04, hours: 24 };
    const noticed = { minutes: 15, hours: 24, channels: [{ channel: 1, failing: size, fewer: null }] };
    const page = await show(screen, {
      'findings/list': ({ connectionId }) => (connectionId === 'b' ? TROUBLE : { ...CALM, noticed }),
    });
    expect(page.text()).toContain('An error rate above 4.0% for 15 min would have been noticed on channel 1');
    const link = page.find('a.incident');
    expect(link.attributes('href')).toContain('/incidents?period=last-24-hours&incident=one');
    await link.trigger('click');
    await flushPromises();
    // It is one of the connection that it was found in.
    expect(useConnectionsStore().active?.id).toBe('b');
  },
);
