import { flushPromises, mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { defineComponent } from 'vue';
import { useCoverage } from '../../../../src-renderer/screens/library/coverage/coverage-map.ts';
import { useSnapshotWords } from '../../../../src-renderer/screens/library/snapshots/snapshot-words.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useClockStore } from '../../../../src-renderer/stores/window/times.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const HOUR_MS = 3_600_000;
const midnightMs = Date.UTC(2026, 10, 19, 5);

async function show() {
  let settings = makeSettings();
  const backend = new ScriptedBackend({
    'app/get-info': () => ({}) as never,
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
    'connections/list': () => [makeConnection()],
    'snapshots/list': () => [],
    'snapshots/read-storage': () => ({}) as never,
    'coverage/read': () => ({ buckets: [], gaps: [], unreadyRecords: 0 }),
  });
  const { global } = await provideApplication(backend);
  await useAppStore().load();
  await useConnectionsStore().load();
  let found:
    | { words: ReturnType<typeof useSnapshotWords>; coverage: ReturnType<typeof useCoverage> }
    | undefined;
  const screen = mount(
    defineComponent(() => {
      found = { words: useSnapshotWords(), coverage: useCoverage(makeConnection()) };
      return () => null;
    }),
    { global },
  );
  await flushPromises();
  return { screen, ...found! };
}

it('words and days of the Library are those of the clock', async () => {
  const { screen, words, coverage } = await show();
  const { period } = makeSnapshot({ fromMs: midnightMs, toMs: midnightMs + 24 * HOUR_MS - 1000 });
  expect(words.toPeriod(period)).toBe('19 Nov, whole day');
  const begin = () => coverage.rows.value[0]?.cells[0];
  expect(new Date(begin()?.fromMs ?? 0).getUTCHours()).toBe(5);
  // A day that was opened is another day in another clock.
  coverage.zoomIn(begin()!);
  expect(coverage.zoom.value).toBe('hours');
  await useClockStore().choose('utc');
  await flushPromises();
  expect(words.toPeriod(period)).toBe('19 Nov 05:00 – 20 Nov 04:59');
  expect(coverage.zoom.value).toBe('days');
  expect(new Date(begin()?.fromMs ?? 0).getUTCHours()).toBe(0);
  screen.unmount();
});
