import { toErrorInfo, type ErrorCode } from '../../common/contract/errors.ts';
import type { Emit, Handlers } from '../../common/contract/index.ts';
import type { StatusSample } from '../../common/model/status.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';

/** Failures that say nothing about the platform, only that it can't be reached from here (decision 28). */
const UNREACHABLE: readonly ErrorCode[] = [
  'client.refused-connection',
  'client.host-not-found',
  'client.unreachable',
  'client.tls',
  'client.timeout',
];

/** Asks for the tenant's status and keeps every sample, also the failed ones. */
export function createMonitor(options: {
  cache: Cache;
  connections: ConnectionStore;
  emit: Emit;
  now(): number;
}): Pick<Handlers, 'status/refresh' | 'status/read-history'> {
  const { cache, connections, emit, now } = options;

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
      const { code } = toErrorInfo(error);
      const state = UNREACHABLE.includes(code) ? 'unreachable' : 'unknown';
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

  return {
    'status/refresh': async ({ connectionId }) => {
      connections.get(connectionId);
      const sample = await takeSample(connectionId);
      await cache.addStatusSample(sample);
      emit('status/checked', sample);
      return sample;
    },
    'status/read-history': ({ connectionId, spanMs, ticks }) =>
      cache.readStatusHistory(connectionId, now(), spanMs, ticks),
  };
}
