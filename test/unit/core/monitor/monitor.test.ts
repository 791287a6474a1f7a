import { Value } from 'typebox/value';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AppError, type ErrorCode } from '../../../../src-main/common/contract/errors.ts';
import { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import type { StatusSample } from '../../../../src-main/common/model/connections/status.ts';
import type { Cache } from '../../../../src-main/core/cache/cache.ts';
import type { ReportingClient } from '../../../../src-main/core/client/reporting-client.ts';
import type { ConnectionStore } from '../../../../src-main/core/connections/create-connections.ts';
import { createGlanceHandlers } from '../../../../src-main/core/glance/glance-handlers.ts';
import { createMonitor } from '../../../../src-main/core/monitor/create-monitor.ts';

const DEFAULTS = Value.Create(Settings);
const READING = {
  platform: 'up',
  connector: 'up',
  internalResponseTimeMs: 1,
  sessions: 1,
  traffic: [],
  trafficText: '',
};

function monitorThatMeets(fetchStatus: ReportingClient['fetchStatus']) {
  const kept: StatusSample[] = [];
  const connections = {
    get: (): unknown => ({}),
    clientFor: () => ({ fetchStatus }),
    watchSaved: () => undefined,
  };
  const monitor = createMonitor({
    cache: {
      addStatusSample: (sample: StatusSample) => {
        kept.push(sample);
        return Promise.resolve();
      },
    } as Cache,
    connections: connections as unknown as ConnectionStore,
    settings: { get: () => ({ ...DEFAULTS, refreshSeconds: 0 }) },
    emit: () => undefined,
    now: () => 7,
  });
  onTestFinished(() => monitor.stop());
  return {
    refresh: () => monitor.check('c'),
    kept,
    connections,
  };
}

describe('status samples', () => {
  it.each<[ErrorCode, string]>([
    ['client.refused-connection', 'unreachable'],
    ['client.host-not-found', 'unreachable'],
    ['client.timeout', 'unreachable'],
    ['client.tls', 'unreachable'],
    ['client.credentials-refused', 'unknown'],
    ['client.server-error', 'unknown'],
    ['client.html', 'unknown'],
    ['secrets.missing', 'not-checked'],
    ['secrets.locked', 'not-checked'],
    ['connections.plain-http', 'not-checked'],
  ])('decision 28, client: %s is %s, never down', async (code, state) => {
    const { refresh, kept } = monitorThatMeets(() => Promise.reject(new AppError(code, 'no')));
    expect(await refresh()).toMatchObject({
      platform: state,
      connector: state,
      failure: code,
      checkedAtMs: 7,
    });
    expect(kept).toHaveLength(1);
  });

  it('say that the built-in service is not running, not that its credentials are missing, before it was started', async () => {
    const { refresh, connections } = monitorThatMeets(() =>
      Promise.reject(new AppError('secrets.missing', 'no')),
    );
    connections.get = () => ({ kind: 'local' });
    expect(await refresh()).toMatchObject({ platform: 'not-checked', failure: 'local-service.not-running' });
  });

  it('say that the built-in service is not running where it was stopped while it was asked', async () => {
    const stopped = new AppError('local-service.not-running', 'no');
    const { refresh, connections } = monitorThatMeets(() => {
      connections.clientFor = () => {
        throw stopped;
      };
      return Promise.reject(new AppError('client.refused-connection', 'no'));
    });
    expect(await refresh()).toMatchObject({ platform: 'not-checked', failure: stopped.code });
  });

  it.each([
    ['client.unreachable', 'unreachable'],
    ['client.server-error', 'unknown'],
  ])('decision 28, client: a call held back after %s is %s', async (reason, state) => {
    const error = new AppError('client.circuit-open', 'no', { reason });
    const { refresh } = monitorThatMeets(() => Promise.reject(error));
    expect(await refresh()).toMatchObject({ platform: state, failure: 'client.circuit-open' });
  });

  it('are not asked for again by the poll once credentials were refused, and are at once when others are saved', async () => {
    vi.useFakeTimers({ now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    let [answer, calls] = ['client.credentials-refused' as ErrorCode | null, 0];
    const emitted: StatusSample[] = [];
    let save: (connectionId: string) => void = () => undefined;
    const monitor = createMonitor({
      cache: { addStatusSample: () => Promise.resolve() } as unknown as Cache,
      connections: {
        get: () => ({}),
        listSaved: () => [{ id: 'c' }],
        watchSaved: (listener: (connectionId: string) => void) => (save = listener),
        clientFor: () => ({
          fetchStatus: () => {
            calls += 1;
            if (answer !== null) return Promise.reject(new AppError(answer, 'no'));
            return Promise.resolve({ reading: READING, roundTripMs: 1 });
          },
        }),
      } as unknown as ConnectionStore,
      settings: { get: () => ({ ...DEFAULTS, refreshSeconds: 5 }) },
      emit: (_name: string, sample: unknown) => void emitted.push(sample as StatusSample),
      now: Date.now,
    });
    onTestFinished(() => monitor.stop());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toBe(1);
    await monitor.check('c');
    expect(calls).toBe(2);
    answer = null;
    save('c');
    await vi.advanceTimersByTimeAsync(1);
    expect(emitted.at(-1)).toMatchObject({ failure: null, platform: 'up' });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(calls).toBeGreaterThan(4);
  });

  it.each([
    ['none', 0, 2],
    ['a day', 86_400_000, 86_400],
    ['three weeks, of which it is given one', 21 * 86_400_000, 7 * 86_400],
  ])('decision 24: are left for as long as the service asks: %s', async (_what, retryAfterMs, seconds) => {
    vi.useFakeTimers({ now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const calledMs: number[] = [];
    const details = { status: 429, ...(retryAfterMs === 0 ? {} : { retryAfterMs }) };
    const monitor = createMonitor({
      cache: { addStatusSample: () => Promise.resolve() } as unknown as Cache,
      connections: {
        get: () => ({}),
        listSaved: () => [{ id: 'c' }],
        watchSaved: () => undefined,
        clientFor: () => ({
          fetchStatus: () => {
            calledMs.push(Date.now());
            return Promise.reject(new AppError('client.rate-limited', 'no', details));
          },
        }),
      } as unknown as ConnectionStore,
      settings: { get: () => ({ ...DEFAULTS, refreshSeconds: 2 }) },
      emit: () => undefined,
      now: Date.now,
    });
    onTestFinished(() => monitor.stop());
    await vi.advanceTimersByTimeAsync(1_500);
    expect(calledMs).toHaveLength(1);
    // Looks in between are skipped, so that a week takes no time.
    vi.setSystemTime(calledMs[0]! + seconds * 1000 - 1_500);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calledMs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(calledMs).toHaveLength(2);
  });

  it('that were asked for with the old credentials are not kept after others are saved', async () => {
    const answers: PromiseWithResolvers<{ reading: typeof READING; roundTripMs: number }>[] = [];
    let save: (connectionId: string) => void = () => undefined;
    const kept: StatusSample[] = [];
    const monitor = createMonitor({
      cache: {
        addStatusSample: (sample: StatusSample) => Promise.resolve(void kept.push(sample)),
      } as unknown as Cache,
      connections: {
        get: () => ({}),
        watchSaved: (listener: (connectionId: string) => void) => (save = listener),
        clientFor: () => ({
          fetchStatus: () => {
            const answer: (typeof answers)[number] = Promise.withResolvers();
            answers.push(answer);
            return answer.promise;
          },
        }),
      } as unknown as ConnectionStore,
      settings: { get: () => ({ ...DEFAULTS, refreshSeconds: 0 }) },
      emit: () => undefined,
      now: () => 7,
    });
    onTestFinished(() => monitor.stop());
    const first = monitor.check('c');
    save('c');
    answers[1]?.resolve({ reading: READING, roundTripMs: 1 });
    answers[0]?.reject(new AppError('client.credentials-refused', 'no'));
    expect(await first).toMatchObject({ failure: null });
    expect(kept).toMatchObject([{ failure: null }]);
  });

  it('are not kept of a connection that was removed while it was asked', async () => {
    const removed = new AppError('connections.not-found', 'Gone.');
    const { refresh, kept, connections } = monitorThatMeets(() => {
      connections.get = () => {
        throw removed;
      };
      return Promise.reject(new AppError('client.timeout', 'no'));
    });
    await expect(refresh()).rejects.toBe(removed);
    expect(kept).toEqual([]);
  });

  it('decision 28, client: only what the service said is down', async () => {
    const { refresh } = monitorThatMeets(() =>
      Promise.resolve({
        reading: {
          platform: 'down',
          connector: 'up',
          internalResponseTimeMs: 12,
          sessions: 3,
          traffic: [],
          trafficText: '',
        },
        roundTripMs: 4,
      }),
    );
    expect(await refresh()).toMatchObject({
      platform: 'down',
      connector: 'up',
      failure: null,
      roundTripMs: 4,
    });
  });
});

it('polls the connection shown last, and each that a window shows until that was closed', async () => {
  vi.useFakeTimers({ now: 10_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  const monitor = createMonitor({
    cache: { addStatusSample: () => Promise.resolve() } as unknown as Cache,
    connections: {
      get: () => ({}),
      listSaved: () => ['one', 'two', 'three'].map((id) => ({ id, kind: 'remote' })),
      clientFor: (id: string) => ({
        fetchStatus: () => {
          asked.push(id);
          return Promise.resolve({ reading: READING, roundTripMs: 1 });
        },
      }),
      watchSaved: () => undefined,
    } as unknown as ConnectionStore,
    settings: { get: () => ({ ...DEFAULTS, refreshSeconds: 30, lastConnectionId: 'one' }) },
    emit: () => undefined,
    now: Date.now,
  });
  onTestFinished(() => monitor.stop());
  monitor.noteShown('two');
  await vi.advanceTimersByTimeAsync(4_000);
  expect(asked).toEqual(['one', 'two']);
  await vi.advanceTimersByTimeAsync(300_000);
  asked.length = 0;
  await vi.advanceTimersByTimeAsync(62_000);
  expect(new Set(asked)).toEqual(new Set(['one']));
});

it('checks every connection that is seen at a glance, for as long as it is', async () => {
  vi.useFakeTimers({ now: 10_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  const saved = [
    ...['one', 'two', 'three'].map((id) => ({ id, kind: 'remote' })),
    { id: 'old', kind: 'imported' },
  ];
  const connections = {
    get: () => ({}),
    list: () => Promise.resolve(saved),
    listSaved: () => saved,
    clientFor: (id: string) => ({
      fetchStatus: () => {
        asked.push(id);
        return Promise.resolve({ reading: READING, roundTripMs: 1 });
      },
    }),
    watchSaved: () => undefined,
  } as unknown as ConnectionStore;
  const monitor = createMonitor({
    cache: { addStatusSample: () => Promise.resolve() } as unknown as Cache,
    connections,
    settings: { get: () => ({ ...DEFAULTS, refreshSeconds: 30, lastConnectionId: 'one' }) },
    emit: () => undefined,
    now: Date.now,
  });
  onTestFinished(() => monitor.stop());
  const readGlance = createGlanceHandlers({
    cache: { readStatusHistory: () => Promise.resolve({ latest: null, lastAnswered: null }) } as never,
    engine: { readHistogram: () => Promise.resolve({ buckets: [], series: [] }) } as never,
    connections,
    ledger: { read: () => Promise.resolve({ spans: [] }) } as never,
    monitor,
    now: Date.now,
  })['glance/read'];
  await vi.advanceTimersByTimeAsync(4_000);
  expect(asked).toEqual(['one']);
  await readGlance(null);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(asked.toSorted()).toEqual(['one', 'three', 'two']);
  await readGlance(null);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.filter((id) => id === 'three').length).toBeGreaterThan(1);
});
