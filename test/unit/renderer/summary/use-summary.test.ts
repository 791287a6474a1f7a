import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineComponent, shallowRef } from 'vue';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import type { Summary } from '../../../../src-main/common/model/records/histogram.ts';
import type { Task } from '../../../../src-main/common/model/cache/task.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { useSummary } from '../../../../src-renderer/screens/summary/summary.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useClockStore, usePeriodStore } from '../../../../src-renderer/stores/window/times.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { makeConnection, makeSettings, makeTask } from '../support/samples.ts';
import { ScriptedBackend, installStores } from '../support/scripted-backend.ts';

const DAY_MS = 86_400_000;

/** A service whose response arrives when the test says so; a summary has the groups that lie in the cache at that time. */
async function showScreen(direction: 'inbound' | 'outbound', cached: Snapshot[] = []) {
  const groupCounts = new Map(cached.map(({ id, recordCount }) => [id, recordCount]));
  const fetches: ((task: Task) => void)[] = [];
  const stored = new Map<number, Snapshot>();
  let settings = makeSettings();
  const backend = new ScriptedBackend({
    'app/get-info': () => ({}) as never,
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
    'connections/list': () => [makeConnection({ id: 'one', serviceZone: 'America/Bogota' })],
    'snapshots/list': () => cached,
    'snapshots/read-storage': () => ({}) as never,
    'summaries/start-fetch': () => ({ taskId: 't1', snapshotId: 1 }),
    'tasks/wait': () => new Promise((resolve) => fetches.push(resolve)),
    'snapshots/get': ({ snapshotId }) => stored.get(snapshotId)!,
    'summaries/read': ({ snapshotId }): Summary => ({
      source: 'reported',
      snapshotId,
      requestCount: groupCounts.get(snapshotId) ?? 0,
      groups: [],
    }),
  });
  const pinia = installStores(backend);
  await useAppStore().load();
  await useConnectionsStore().load();
  const screen: VueWrapper = mount(
    defineComponent({ setup: () => useSummary(() => direction, shallowRef(null)), template: '<i />' }),
    { global: { plugins: [pinia], provide: { [backendKey as symbol]: backend } } },
  );
  await flushPromises();
  const view = screen.vm as unknown as { shown: { snapshot: Snapshot; summary: Summary } | null };

  async function store(snapshot: Snapshot): Promise<void> {
    groupCounts.set(snapshot.id, snapshot.recordCount);
    stored.set(snapshot.id, snapshot);
    backend.emit('snapshots/changed', snapshot);
    await flushPromises();
  }

  async function answer(snapshot: Snapshot): Promise<void> {
    await store(snapshot);
    fetches.shift()?.(makeTask({ kind: 'summary', state: 'done', snapshotId: snapshot.id }));
    await flushPromises();
  }

  return { backend, screen, view, store, answer };
}

describe.each(['inbound', 'outbound'] as const)('summary screen, %s', (direction) => {
  let screen: VueWrapper | undefined;
  const report = `${direction}-summary` as const;
  const last24Hours = (): { fromMs: number; toMs: number } => ({
    fromMs: Date.now() - DAY_MS,
    toMs: Date.now(),
  });
  const begun = (id: number): Snapshot =>
    makeSnapshot(last24Hours(), {
      id,
      report,
      state: 'downloading',
      recordCount: 0,
      totalDocument: null,
      startedAtMs: Date.now(),
    });
  const ended = (id: number): Snapshot => ({ ...begun(id), state: 'complete', recordCount: 400 });

  // A summary is shown under exactly its own period: the clock stands still, at a whole second.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 20, 10) }));
  afterEach(() => {
    screen?.unmount();
    vi.useRealTimers();
  });

  it('shows nothing of the first fetch before it is complete, and then all its groups', async () => {
    const app = await showScreen(direction);
    screen = app.screen;
    await app.store(begun(1));
    expect(app.view.shown).toBeNull();
    await app.store({ ...begun(1), recordCount: 100 });
    expect(app.view.shown).toBeNull();
    await app.answer(ended(1));
    expect(app.view.shown?.summary.requestCount).toBe(400);
  });

  it('keeps the cached groups in sight until a refresh is complete', async () => {
    const old = { ...ended(1), recordCount: 300, fetchedAtMs: Date.now() - DAY_MS / 24 };
    const app = await showScreen(direction, [old]);
    screen = app.screen;
    expect(app.view.shown?.summary.requestCount).toBe(300);
    await app.store(begun(2));
    expect(app.view.shown?.snapshot.id).toBe(1);
    await app.answer(ended(2));
    expect(app.view.shown?.snapshot.id).toBe(2);
    expect(app.view.shown?.summary.requestCount).toBe(400);
  });

  it('is fetched again in another clock only where days begin elsewhere in it', async () => {
    const app = await showScreen(direction, [ended(1)]);
    screen = app.screen;
    const count = (): number => app.backend.countCalls('summaries/start-fetch');
    const before = count();
    await useClockStore().choose('utc');
    await flushPromises();
    expect(count()).toBe(before);
    usePeriodStore().select({ kind: 'preset', preset: 'yesterday' });
    await flushPromises();
    expect(count()).toBe(before + 1);
    await app.answer(ended(2));
    await useClockStore().choose('service');
    await flushPromises();
    expect(count()).toBe(before + 2);
  });
});
