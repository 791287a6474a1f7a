import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { StatusSample } from '../../../../src-main/common/model/connections/status.ts';
import { useOverviewStore } from '../../../../src-renderer/stores/analysis/summaries.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { installStores, ScriptedBackend } from '../support/scripted-backend.ts';

const END_MS = Date.UTC(2026, 10, 20, 16);
const toSpan = (toMs: number) => ({ fromMs: toMs - 86_400_000, toMs, buckets: 48 });
const EMPTY_VOLUME = {
  inbound: [],
  outbound: [],
  inboundCoverage: 0,
  outboundCoverage: 0,
  inboundCovered: [],
  outboundCovered: [],
};
const snapshot = makeSnapshot({ fromMs: END_MS - 3_600_000, toMs: END_MS }, { connectionId: 'one' });
const sample: StatusSample = {
  connectionId: 'one',
  checkedAtMs: END_MS,
  roundTripMs: 5,
  platform: 'up',
  connector: 'up',
  internalResponseTimeMs: 20,
  sessions: 0,
  traffic: [],
  trafficText: '',
  failure: null,
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('overview store', () => {
  it('requests the buckets of a span', async () => {
    const backend = new ScriptedBackend({
      'overview/read-volume': () => EMPTY_VOLUME,
    });
    installStores(backend);
    await useOverviewStore().open('one', () => toSpan(END_MS));
    expect(backend.calls[0]).toEqual({
      name: 'overview/read-volume',
      input: { connectionId: 'one', fromMs: END_MS - 86_400_000, toMs: END_MS, buckets: 48 },
    });
  });

  it('reads again when the cache changes, but not with every page of a download', async () => {
    const backend = new ScriptedBackend({
      'overview/read-volume': () => EMPTY_VOLUME,
    });
    installStores(backend);
    const store = useOverviewStore();
    await store.open('one', () => toSpan(END_MS));
    const before = backend.countListeners();
    const stop = store.follow();
    for (let page = 0; page < 20; page += 1) {
      backend.emit('snapshots/changed', snapshot);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(backend.countCalls('overview/read-volume')).toBe(2);
    await vi.advanceTimersByTimeAsync(5000);
    expect(backend.countCalls('overview/read-volume')).toBe(3);
    backend.emit('snapshots/changed', { ...snapshot, connectionId: 'another' });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(backend.countCalls('overview/read-volume')).toBe(3);
    backend.emit('snapshots/changed', snapshot);
    backend.emit('snapshots/changed', snapshot);
    stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(backend.countCalls('overview/read-volume')).toBe(4);
    expect(backend.countListeners()).toBe(before);
  });

  it('moves on with the clock when the status is checked, and else leaves the cache alone', async () => {
    const backend = new ScriptedBackend({
      'overview/read-volume': () => EMPTY_VOLUME,
    });
    installStores(backend);
    const store = useOverviewStore();
    let endMs = END_MS;
    await store.open('one', () => toSpan(endMs));
    const stop = store.follow();
    backend.emit('status/checked', sample);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(backend.countCalls('overview/read-volume')).toBe(1);
    endMs += 1_800_000;
    backend.emit('status/checked', sample);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(backend.countCalls('overview/read-volume')).toBe(2);
    stop();
  });

  it('does not show the response for a connection that was left meanwhile', async () => {
    let finishFirst: (() => void) | undefined;
    const backend = new ScriptedBackend({
      'overview/read-volume': async ({ connectionId }) => {
        if (connectionId === 'slow') await new Promise<void>((resolve) => (finishFirst = resolve));
        return { ...EMPTY_VOLUME, inboundCoverage: connectionId === 'slow' ? 1 : 0.5 };
      },
    });
    installStores(backend);
    const store = useOverviewStore();
    const first = store.open('slow', () => toSpan(END_MS));
    await store.open('quick', () => toSpan(END_MS));
    finishFirst?.();
    await first;
    expect(store.volume?.inboundCoverage).toBe(0.5);
  });

  it('shows nothing of another period, whichever is read first', async () => {
    const waiting: (() => void)[] = [];
    const backend = new ScriptedBackend({
      'overview/read-volume': async ({ buckets }) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return { ...EMPTY_VOLUME, inboundCoverage: buckets / 100 };
      },
    });
    installStores(backend);
    const store = useOverviewStore();
    const first = store.open('one', () => toSpan(END_MS));
    const second = store.open('one', () => ({ ...toSpan(END_MS), buckets: 24 }));
    expect(store.volume).toBeNull();
    waiting[1]?.();
    await second;
    waiting[0]?.();
    await first;
    expect(store.volume?.inboundCoverage).toBe(0.24);
  });

  it('shows nothing of a period with the same beginning and as many bars', async () => {
    const backend = new ScriptedBackend({
      'overview/read-volume': ({ toMs }) => ({ ...EMPTY_VOLUME, inboundCoverage: toMs === END_MS ? 0.5 : 1 }),
    });
    installStores(backend);
    const store = useOverviewStore();
    await store.open('one', () => toSpan(END_MS));
    const longer = store.open('one', () => ({ ...toSpan(END_MS), toMs: END_MS + 86_400_000 }));
    expect(store.volume).toBeNull();
    await longer;
    expect(store.volume?.inboundCoverage).toBe(1);
  });

  it('takes no failure along to another connection', async () => {
    const backend = new ScriptedBackend({
      'overview/read-volume': ({ connectionId }) =>
        connectionId === 'one'
          ? Promise.reject(new AppError('cache.damaged', 'The cache is damaged.'))
          : new Promise(() => undefined),
    });
    installStores(backend);
    const store = useOverviewStore();
    await store.open('one', () => toSpan(END_MS));
    expect(store.error?.code).toBe('cache.damaged');
    void store.open('two', () => toSpan(END_MS));
    expect(store.error).toBeNull();
  });

  it('keeps what it has when reading fails, and says so', async () => {
    let isBroken = false;
    const backend = new ScriptedBackend({
      'overview/read-volume': () => {
        if (isBroken) throw new AppError('cache.damaged', 'The cache is damaged.');
        return EMPTY_VOLUME;
      },
    });
    installStores(backend);
    const store = useOverviewStore();
    await store.open('one', () => toSpan(END_MS));
    isBroken = true;
    await store.reload();
    expect(store.volume).toEqual(EMPTY_VOLUME);
    expect(store.error?.code).toBe('cache.damaged');
    isBroken = false;
    await store.reload();
    expect(store.error).toBeNull();
  });
});
