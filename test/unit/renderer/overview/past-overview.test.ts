import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { StatusHistory } from '../../../../src-main/common/model/connections/status.ts';
import OverviewScreen from '../../../../src-renderer/screens/overview/OverviewScreen.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { usePeriodStore } from '../../../../src-renderer/stores/window/times.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeHistory, makeSample } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const NOW_MS = Date.UTC(2026, 10, 27, 9, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FROM_MS = Date.UTC(2026, 10, 20);
const TO_MS = FROM_MS + DAY_MS;

beforeEach(() => void vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const up = makeSample({ connectionId: 'one', checkedAtMs: NOW_MS });

async function show(past: (of: StatusHistory) => StatusHistory) {
  const asked: Input<'status/read-history'>[] = [];
  const backend = new ScriptedBackend({
    'connections/list': () => [makeConnection({ id: 'one', serviceZone: 'UTC' })],
    'following/list': () => [],
    'status/refresh': () => up,
    'status/read-history': (input) => {
      if (input.untilMs === undefined) return makeHistory(up);
      asked.push(input);
      return past(makeHistory(up));
    },
    'status/read-figures': () => [],
    'overview/read-recent-traffic': () => ({ inbound: null, outbound: null }),
    'findings/list': () => ({ findings: [], resolved: [], gaps: [], untilMs: TO_MS }),
    'findings/stop-list': () => null,
  });
  const { global } = await provideApplication(backend, '/overview');
  await useConnectionsStore().load();
  usePeriodStore().select({ kind: 'custom', fromMs: FROM_MS, toMs: TO_MS - 1000 });
  const stubs = { ScreenPeriod: true, PeriodVolume: true, VolumeAsSql: true };
  const screen = mount(OverviewScreen, { global: { ...global, stubs } });
  await flushPromises();
  return { screen, asked };
}
const toTicks = (state: 'up' | 'not-checked'): StatusHistory['ticks'] =>
  Array.from({ length: 90 }, (_, place) => ({
    ...{ fromMs: FROM_MS + (place * DAY_MS) / 90, toMs: FROM_MS + ((place + 1) * DAY_MS) / 90 },
    ...{ platform: state, connector: state, internalResponseTimeMs: null },
  }));

it('shows the status as it was then, where checks of then are kept', async () => {
  const last = makeSample({ connectionId: 'one', checkedAtMs: TO_MS - HOUR_MS, platform: 'up' });
  const { screen, asked } = await show((history) => ({
    ...history,
    latest: last,
    lastAnswered: last,
    ticks: toTicks('up'),
    downSpans: [
      { part: 'platform', sinceMs: FROM_MS - HOUR_MS, untilMs: FROM_MS + HOUR_MS, isOngoing: false },
    ],
    platformUptime: { share: 0.95, seenMs: 20 * HOUR_MS, sinceMs: FROM_MS },
    connectorUptime: null,
  }));
  expect(asked).toMatchObject([{ untilMs: TO_MS, spanMs: DAY_MS, ticks: 90 }]);
  const text = screen.text();
  expect(text).toContain('Up 95.0% of the 20 h watched · down 1 h');
  expect(text).toContain('No check says whether it was up');
  // The last check was long before the end: what it said isn't said of the end.
  expect(text).toContain('Not checked');
  expect(text).toContain('last check: Up, 20 Nov 23:00');
  expect(text).toContain('as reported 20 Nov 23:00');
  expect(text).not.toContain('as reported 0 s ago');
});

it('says so where no check of then is kept, and shows no state of another time', async () => {
  const { screen } = await show((history) => ({ ...history, ticks: toTicks('not-checked') }));
  expect(screen.text()).toContain('No status checks are kept for this period');
  // One sentence after the other, with a space between them.
  expect(screen.get('aside.deprecations p').text()).toMatch(/deprecations?\. \S/u);
  expect(screen.text()).not.toContain('Up');
});
