import type { HandlersOf } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Monitor } from './create-monitor.ts';

/** The handlers of `status/…`. */
export function createStatusHandlers(parts: {
  readonly cache: Pick<Cache, 'readStatusFigures' | 'readStatusHistory'>;
  readonly connections: Pick<ConnectionStore, 'get'>;
  readonly monitor: Pick<Monitor, 'check' | 'noteShown'>;
  now(): number;
}): HandlersOf<'status'> {
  const { cache, connections, monitor, now } = parts;
  return {
    'status/refresh': ({ connectionId }) => {
      connections.get(connectionId);
      return monitor.check(connectionId);
    },
    'status/read-history': (input) => {
      monitor.noteShown(input.connectionId);
      return cache.readStatusHistory({ ...input, nowMs: now() });
    },
    'status/read-figures': (input) => cache.readStatusFigures({ ...input, nowMs: now() }),
  };
}
