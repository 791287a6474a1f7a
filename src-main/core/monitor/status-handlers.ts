import type { HandlersOf } from '../../common/contract/index.ts';
import { listDownTimes } from '../../common/model/connections/planned-spans.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Monitor } from './create-monitor.ts';

/** The handlers of `status/…`. */
export function createStatusHandlers(parts: {
  readonly cache: Pick<Cache, 'readStatusFigures' | 'readStatusHistory'>;
  readonly connections: Pick<ConnectionStore, 'get' | 'listSaved'>;
  readonly monitor: Pick<Monitor, 'check' | 'noteShown'>;
  now(): number;
}): HandlersOf<'status'> {
  const { cache, connections, monitor, now } = parts;
  const listPlanned = (connectionId: string, nowMs: number, spanMs: number): TimeSpan[] => {
    const plans = connections.listSaved().find(({ id }) => id === connectionId)?.plans;
    return listDownTimes(plans, { fromMs: nowMs - spanMs, toMs: nowMs });
  };
  return {
    'status/refresh': ({ connectionId }) => {
      connections.get(connectionId);
      return monitor.check(connectionId);
    },
    'status/read-history': ({ untilMs = Infinity, ...input }) => {
      const nowMs = Math.min(now(), untilMs);
      // What is over needs no new checks.
      if (untilMs === Infinity) monitor.noteShown(input.connectionId);
      return cache.readStatusHistory({
        ...input,
        nowMs,
        planned: listPlanned(input.connectionId, nowMs, input.spanMs),
      });
    },
    'status/read-figures': (input) => {
      const nowMs = now();
      const planned = listPlanned(input.connectionId, nowMs, Math.max(...input.spansMs));
      return cache.readStatusFigures({ ...input, nowMs, planned });
    },
  };
}
