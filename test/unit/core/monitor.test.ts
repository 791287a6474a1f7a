import { Value } from 'typebox/value';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError, type ErrorCode } from '../../../src-main/common/contract/errors.ts';
import { Settings } from '../../../src-main/common/model/settings.ts';
import type { StatusSample } from '../../../src-main/common/model/status.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { ReportingClient } from '../../../src-main/core/client/reporting-client.ts';
import type { ConnectionStore } from '../../../src-main/core/connections/create-connections.ts';
import { createMonitor } from '../../../src-main/core/monitor/create-monitor.ts';

const DEFAULTS = Value.Create(Settings);

function monitorThatMeets(fetchStatus: ReportingClient['fetchStatus']) {
  const kept: StatusSample[] = [];
  const connections = { get: (): unknown => ({}), clientFor: () => ({ fetchStatus }) };
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
    ['secrets.missing', 'unknown'],
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

  it.each([
    ['client.unreachable', 'unreachable'],
    ['client.server-error', 'unknown'],
  ])('decision 28, client: a call held back after %s is %s', async (reason, state) => {
    const error = new AppError('client.circuit-open', 'no', { reason });
    const { refresh } = monitorThatMeets(() => Promise.reject(error));
    expect(await refresh()).toMatchObject({ platform: state, failure: 'client.circuit-open' });
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
