import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { OperationName } from '../../../../src-main/common/contract/index.ts';
import OverviewScreen from '../../../../src-renderer/screens/overview/OverviewScreen.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeHistory, makeSample, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const BEGUN_MS = Date.UTC(2026, 10, 20, 15, 22);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Everything that the screen shows comes by one of these. */
const CALLS = [
  'status/refresh',
  'status/read-history',
  'status/read-figures',
  'overview/read-recent-traffic',
  'overview/read-volume',
  'findings/list',
] as const satisfies readonly OperationName[];

let screen: VueWrapper;
let backend: ScriptedBackend;
let failing: ReadonlySet<OperationName>;
const up = makeSample({ connectionId: 'one', checkedAtMs: BEGUN_MS });

function answer<Value>(name: OperationName, value: Value): Value {
  if (failing.has(name)) throw new AppError('cache.io-failed', 'The cache has ended.');
  return value;
}

async function show(failingAtFirst: readonly OperationName[] = []): Promise<void> {
  failing = new Set(failingAtFirst);
  const bucket = { fromMs: BEGUN_MS - HOUR_MS, toMs: BEGUN_MS, counts: [7, 0, 0, 0, 0] };
  backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'linux', keychain: { kind: 'system' } }) as never,
    'settings/get': () => makeSettings(),
    'connections/list': () => [makeConnection({ id: 'one', serviceZone: 'UTC' })],
    'following/list': () => [],
    'status/refresh': () => answer('status/refresh', up),
    'status/read-history': () => answer('status/read-history', makeHistory(up)),
    'status/read-figures': () => answer('status/read-figures', []),
    'overview/read-recent-traffic': () =>
      answer('overview/read-recent-traffic', { inbound: null, outbound: null }),
    'overview/read-volume': () =>
      answer('overview/read-volume', {
        inbound: [bucket],
        outbound: [bucket],
        inboundCoverage: 1,
        outboundCoverage: 1,
        inboundCovered: [],
        outboundCovered: [],
      }),
    'findings/list': () =>
      answer('findings/list', {
        findings: [],
        resolved: [],
        gaps: [],
        untilMs: BEGUN_MS,
        sinceMs: null,
      } as never),
  });
  const { global } = await provideApplication(backend, '/overview');
  await useAppStore().load();
  await useConnectionsStore().load();
  screen = mount(OverviewScreen, {
    global: {
      ...global,
      stubs: { TooltipWrap: { template: '<span><slot /></span>' }, VolumeChart: true, ScreenPeriod: true },
    },
  });
  await flushPromises();
}

const readPanels = (): string[] =>
  screen.findAll('section > header').map((head) => head.text().replace(/\s+/g, ' '));
const readBanners = (): string[] =>
  screen
    .findAll('[role=status].banner')
    .map((banner) => banner.text().replaceAll(/\s+|(?<=\.)(?=[A-Z])/g, ' '));
async function refreshLater(): Promise<void> {
  vi.setSystemTime(BEGUN_MS + 30 * MINUTE_MS);
  vi.advanceTimersToNextTimer();
  await screen.get('[data-shortcut=refresh]').trigger('click');
  await flushPromises();
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  vi.setSystemTime(BEGUN_MS);
});
afterEach(() => {
  screen.unmount();
  vi.useRealTimers();
});

describe('an Overview whose calls fail', () => {
  it('says nothing of it while they succeed', async () => {
    await show();
    expect(readBanners()).toEqual([]);
    expect(screen.text()).not.toContain('not refreshed');
    expect(screen.findAll('.mark').map((mark) => mark.text())).toEqual(['Up', 'Up']);
  });

  it('says from when each card is, why it was not refreshed and what to do, and goes on by itself', async () => {
    await show();
    failing = new Set(CALLS);
    await refreshLater();
    const [banner, ...more] = readBanners();
    expect(more).toEqual([]);
    expect(banner).toContain('Not refreshed. Showing data from 15:22:00, 30 min old.');
    expect(banner).toContain('Disk error. Check the disk, and try again.');
    const panels = readPanels();
    for (const name of [
      'Platform',
      'Connector',
      'Internal response time',
      'Needs attention',
      'Volume',
      'Sessions',
    ]) {
      expect(panels.find((panel) => panel.startsWith(name))).toContain('as of 15:22:00, not refreshed');
    }
    // What was last known is not said to be so now.
    expect(screen.findAll('.mark').map((mark) => mark.text())).toEqual(['Unknown', 'Unknown']);
    expect(screen.text()).toContain('Up at 15:22');
    failing = new Set();
    await refreshLater();
    expect(readBanners()).toEqual([]);
    expect(screen.text()).not.toContain('not refreshed');
    expect(screen.findAll('.mark').map((mark) => mark.text())).toEqual(['Up', 'Up']);
  });

  it('no longer says what was last known to be so now when the application is gone', async () => {
    await show();
    backend.tellHost(false);
    await flushPromises();
    expect(screen.findAll('.mark').map((mark) => mark.text())).toEqual(['Unknown', 'Unknown']);
    expect(readBanners()[0]).toContain("Channelscope isn't responding.");
    expect(readPanels().find((panel) => panel.startsWith('Platform'))).toContain(
      'as of 15:22:00, not refreshed',
    );
  });

  it('leaves out what stands below the chart while there is no chart', async () => {
    const hasFoot = () => screen.find('[data-tour="volume"] .foot').exists();
    await show(['overview/read-volume']);
    expect(hasFoot()).toBe(false);
    failing = new Set();
    await refreshLater();
    expect(hasFoot()).toBe(true);
  });

  it.each([
    ['status/refresh', ['Platform', 'Connector', 'Internal response time', 'Sessions']],
    ['status/read-history', ['Platform', 'Connector', 'Internal response time']],
    ['status/read-figures', ['Platform', 'Connector', 'Internal response time']],
    ['overview/read-recent-traffic', ['Platform', 'Connector', 'Internal response time']],
    ['overview/read-volume', ['Volume']],
    ['findings/list', ['Needs attention']],
  ] as const)('says which cards are older where only %s fails', async (name, names) => {
    await show();
    failing = new Set([name]);
    await refreshLater();
    expect(readBanners()[0]).toContain('Not refreshed. The cards say what is older, and from when.');
    const older = readPanels().filter((panel) => panel.includes('as of 15:22:00, not refreshed'));
    expect(older.map((panel) => names.find((one) => panel.startsWith(one)))).toEqual(names);
  });

  it('does not wait for ever where nothing was ever read', async () => {
    await show(CALLS);
    expect(readBanners()[0]).toContain('Not refreshed.');
    expect(readBanners()[0]).not.toContain('Showing data');
    expect(readPanels().filter((panel) => panel.includes('could not be read'))).toHaveLength(5);
    expect(screen.find('.skeleton').exists()).toBe(false);
    // Each says the cause itself, and has a way on.
    const cards = screen.findAll('section').filter((card) => card.text().includes('could not be read'));
    for (const card of cards)
      expect(card.text()).toMatch(/Disk error.*Check the disk, and try again\..*Try again/s);
    failing = new Set();
    await cards[0]!
      .findAll('button')
      .find((button) => button.text() === 'Try again')!
      .trigger('click');
    await flushPromises();
    expect(screen.text()).not.toContain('Disk error');
  });

  it.each([
    ['status/read-figures', 3, 'Disk error. Check the disk, and try again.'],
    ['status/read-history', 3, 'Disk error. Check the disk, and try again.'],
    ['overview/read-recent-traffic', 2, 'Not compared with traffic: Disk error'],
  ] as const)('says in the place of what %s never brought why it is missing', async (name, count, words) => {
    await show([name]);
    expect(screen.findAll('section').filter((card) => card.text().includes(words))).toHaveLength(count);
    expect(screen.find('.skeleton').exists()).toBe(false);
  });
});
