import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it } from 'vitest';
import { createApp } from 'vue';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { isSamePeriod, isTouching, listUsable } from '../../../../src-renderer/period/period-coverage.ts';
import { useSummariesStore } from '../../../../src-renderer/stores/analysis/summaries.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { HeldBackend } from '../support/held-backend.ts';
import { makeTask } from '../support/samples.ts';

const HOUR_MS = 3_600_000;

const toSnapshot = (id: number, change: Partial<Snapshot> = {}, fromMs = 0, toMs = 24 * HOUR_MS): Snapshot =>
  makeSnapshot(
    { fromMs, toMs },
    { id, connectionId: 'c', report: 'inbound-summary', recordCount: 5, ...change },
  );

const PERIOD = { startDate: '', endDate: '', fromMs: 0, toMs: 1, zone: 'UTC' };
const SCOPE = { connectionId: 'c', report: 'inbound-detail' as const, fromMs: 0, toMs: 1000 };
const summary = (snapshotId: number) => ({ source: 'reported', snapshotId, groups: [], requestCount: 0 });

describe('summaries store', () => {
  let backend: HeldBackend;

  function createStore(): ReturnType<typeof useSummariesStore> {
    const pinia = createPinia();
    createApp({}).provide(backendKey, backend).use(pinia);
    setActivePinia(pinia);
    return useSummariesStore();
  }

  beforeEach(() => {
    backend = new HeldBackend();
  });

  it('shows the summary requested last when responses arrive the other way round', async () => {
    const store = createStore();
    void store.readReported(toSnapshot(1));
    void store.readReported(toSnapshot(2));
    const [first, second] = backend.of('summaries/read');
    await second?.answer(summary(2));
    await first?.answer(summary(1));
    expect(store.reported?.snapshot.id).toBe(2);
    expect(store.isReading).toBe(false);
  });

  it('keeps both sources apart', async () => {
    const store = createStore();
    void store.readReported(toSnapshot(1));
    void store.compute(SCOPE);
    await backend.of('summaries/compute')[0]?.answer(summary(9));
    expect(store.cached).toMatchObject({ scope: SCOPE, summary: { snapshotId: 9 } });
    expect(store.reported).toBeNull();
  });

  it('keeps the failure of one source when the other is read', async () => {
    const store = createStore();
    void store.compute(SCOPE);
    void store.readReported(toSnapshot(1));
    await backend.of('summaries/compute')[0]?.refuse('analysis.stopped');
    await backend.of('summaries/read')[0]?.answer(summary(1));
    expect([store.computedError?.code, store.reportedError]).toEqual(['analysis.stopped', null]);
    await store.compute(null);
    expect(store.computedError).toBeNull();
  });

  it('keeps the cached summary when asking the service fails', async () => {
    const store = createStore();
    void store.readReported(toSnapshot(1));
    await backend.of('summaries/read')[0]?.answer(summary(1));
    const fetched = store.fetchReported('c', 'inbound', PERIOD);
    await backend.of('summaries/start-fetch')[0]?.answer({ taskId: 't1', snapshotId: 4 });
    const error = { code: 'client.unreachable', message: '', details: {} } as const;
    await backend.of('tasks/wait')[0]?.answer(makeTask({ state: 'failed', error }));
    expect(await fetched).toBeNull();
    expect(store.fetchError?.code).toBe('client.unreachable');
    expect(store.isFetching).toBe(false);
    expect(store.reported?.snapshot.id).toBe(1);
  });

  it('drops a response of the service for a period that was left', async () => {
    const store = createStore();
    const fetched = store.fetchReported('c', 'inbound', PERIOD);
    store.clear();
    await backend.of('summaries/start-fetch')[0]?.answer({ taskId: 't1', snapshotId: 4 });
    await backend.of('tasks/wait')[0]?.answer(makeTask({ state: 'done', snapshotId: 4 }));
    expect(await fetched).toBeNull();
    expect(store.isFetching).toBe(false);
  });

  it('cancels the request that is under way, and says so', async () => {
    const store = createStore();
    const fetched = store.fetchReported('c', 'inbound', PERIOD);
    await backend.of('summaries/start-fetch')[0]?.answer({ taskId: 't1', snapshotId: 4 });
    store.cancelFetch();
    expect(backend.of('tasks/cancel').map(({ input }) => input)).toEqual([{ taskId: 't1' }]);
    await backend.of('tasks/wait')[0]?.answer(makeTask({ state: 'cancelled' }));
    expect(await fetched).toBeNull();
    expect(store.fetchError?.code).toBe('app.cancelled');
    expect(store.isFetching).toBe(false);
  });

  it('cancels a request that another one replaces', async () => {
    const store = createStore();
    const left = store.fetchReported('c', 'inbound', PERIOD);
    await backend.of('summaries/start-fetch')[0]?.answer({ taskId: 't1', snapshotId: 4 });
    void store.fetchReported('c', 'inbound', { ...PERIOD, toMs: 2 });
    expect(backend.of('tasks/cancel').map(({ input }) => input)).toEqual([{ taskId: 't1' }]);
    await backend.of('tasks/wait')[0]?.answer(makeTask({ state: 'cancelled' }));
    expect(await left).toBeNull();
    expect(store.fetchError).toBeNull();
    expect(store.isFetching).toBe(true);
  });
});

describe('cached snapshots', () => {
  it('hold something of a period when they have a second in common with it', () => {
    const period = { fromMs: 0, toMs: HOUR_MS };
    expect(isTouching(toSnapshot(1, {}, HOUR_MS, 2 * HOUR_MS).period, period)).toBe(true);
    expect(isTouching(toSnapshot(1, {}, HOUR_MS + 1000, 2 * HOUR_MS).period, period)).toBe(false);
  });

  it('leaves out other connections, other reports and failures that brought nothing', () => {
    const snapshots = [
      toSnapshot(1, { connectionId: 'other' }),
      toSnapshot(2, { report: 'inbound-detail' }),
      toSnapshot(3, { state: 'failed', recordCount: 0 }),
      toSnapshot(4, { state: 'failed', recordCount: 7 }),
    ];
    expect(listUsable(snapshots, 'c', 'inbound-summary').map(({ id }) => id)).toEqual([4]);
  });

  it('compares numbers only of the very same period', () => {
    expect(isSamePeriod(toSnapshot(1).period, toSnapshot(2).period)).toBe(true);
    expect(isSamePeriod(toSnapshot(1).period, toSnapshot(2, {}, 1).period)).toBe(false);
  });
});
