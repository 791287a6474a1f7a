import { toErrorInfo, type ErrorCode } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { StatusSample } from '../../common/model/status.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import { pollStatus } from './poll-status.ts';

/** Failures that show only that the platform can't be reached from here, not how it is (decision 28). */
const UNREACHABLE: readonly ErrorCode[] = [
  'client.refused-connection',
  'client.host-not-found',
  'client.unreachable',
  'client.tls',
  'client.timeout',
];

export interface Monitor {
  /** Requests the status now and keeps the sample, also a failed one. Calls at the same time share one request. */
  check(connectionId: string): Promise<StatusSample>;
  stop(): void;
}

/** Requests the tenant's status, on demand and at the interval of the settings, and keeps every sample. */
export function createMonitor(options: {
  cache: Cache;
  connections: ConnectionStore;
  settings: Pick<SettingsStore, 'get'>;
  emit: Emit;
  now(): number;
}): Monitor {
  const { cache, connections, settings, emit, now } = options;
  const lastChecksMs = new Map<string, number>();
  const checks = new Map<string, Promise<StatusSample>>();

  const takeSample = async (connectionId: string): Promise<StatusSample> => {
    const checkedAtMs = now();
    try {
      const { reading, roundTripMs } = await connections.clientFor(connectionId).fetchStatus();
      return {
        connectionId,
        checkedAtMs,
        roundTripMs,
        ...reading,
        traffic: [...reading.traffic],
        failure: null,
      };
    } catch (error) {
      const { code, details } = toErrorInfo(error);
      // A call that the circuit stopped has the reason of the failures before it.
      const cause = code === 'client.circuit-open' ? details['reason'] : code;
      const state = UNREACHABLE.some((unreachable) => unreachable === cause) ? 'unreachable' : 'unknown';
      return {
        connectionId,
        checkedAtMs,
        roundTripMs: null,
        platform: state,
        connector: state,
        internalResponseTimeMs: null,
        sessions: null,
        traffic: [],
        trafficText: '',
        failure: code,
      };
    }
  };

  const keepSample = async (connectionId: string): Promise<StatusSample> => {
    const sample = await takeSample(connectionId);
    // Throws for a connection that was removed meanwhile, so that nothing of it is stored.
    connections.get(connectionId);
    await cache.addStatusSample(sample);
    emit('status/checked', sample);
    return sample;
  };

  const check = (connectionId: string): Promise<StatusSample> => {
    const underWay = checks.get(connectionId);
    if (underWay !== undefined) return underWay;
    lastChecksMs.set(connectionId, now());
    const started = keepSample(connectionId).finally(() => checks.delete(connectionId));
    checks.set(connectionId, started);
    return started;
  };

  return {
    check,
    stop: pollStatus({
      readSettings: () => settings.get(),
      findWatched: async () => settings.get().activeConnectionId ?? (await connections.list())[0]?.id,
      findLastCheckMs: (connectionId) => lastChecksMs.get(connectionId),
      check,
      now,
    }),
  };
}
