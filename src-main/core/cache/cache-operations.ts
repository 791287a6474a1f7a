import { AppError } from '../../common/contract/errors.ts';
import type { Emit, Handlers } from '../../common/contract/index.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import type { Cache } from './cache.ts';

type CacheOperation =
  | Extract<keyof Handlers, `snapshots/${string}` | `records/${string}` | `overview/${string}`>
  | 'summaries/read'
  | 'summaries/compute';

/** Rows of one window; a table asks for far fewer. */
const MAX_WINDOW_ROWS = 500;

/** What the window may ask of the cache: all of it works with the network gone. */
export function createCacheOperations(options: {
  cache: Cache;
  tasks: TaskRegistry;
  emit: Emit;
}): Pick<Handlers, CacheOperation> {
  const { cache, tasks, emit } = options;
  return {
    'summaries/read': ({ snapshotId }) => cache.readSummary(snapshotId),
    'summaries/compute': ({ snapshotId }) => cache.computeSummary(snapshotId),
    'snapshots/list': ({ connectionId }) => cache.listSnapshots(connectionId),
    'snapshots/get': ({ snapshotId }) => cache.getSnapshot(snapshotId),
    'snapshots/remove': async ({ snapshotIds }) => {
      const running = tasks
        .list()
        .filter(({ state, snapshotId }) => state === 'running' && snapshotIds.includes(snapshotId ?? -1));
      for (const task of running) tasks.cancel(task.id);
      await Promise.all(running.map((task) => tasks.whenEnded(task.id)));
      await cache.removeSnapshots(snapshotIds);
      emit('snapshots/removed', { snapshotIds });
      return null;
    },
    'snapshots/read-storage': () => cache.readStorage(),
    'overview/read-volume': async ({ connectionId, fromMs, toMs, buckets }) => {
      const [inbound, outbound] = await Promise.all([
        cache.readVolume(connectionId, 'inbound-detail', fromMs, toMs, buckets),
        cache.readVolume(connectionId, 'outbound-detail', fromMs, toMs, buckets),
      ]);
      return {
        inbound: inbound.buckets,
        outbound: outbound.buckets,
        inboundCoverage: inbound.coverage,
        outboundCoverage: outbound.coverage,
      };
    },
    'overview/read-attention': ({ connectionId }) => cache.readAttention(connectionId),
    'records/open-view': ({ snapshotId, filter, order }) => cache.openView(snapshotId, filter, order),
    'records/read-rows': ({ viewId, start, end }) => {
      if (end < start || end - start > MAX_WINDOW_ROWS) {
        throw new AppError('app.invalid-input', 'A window holds at most 500 rows.', { start, end });
      }
      return cache.readRows(viewId, start, end);
    },
    'records/close-view': async ({ viewId }) => {
      await cache.closeView(viewId);
      return null;
    },
    'records/read-histogram': ({ viewId, buckets }) => cache.readHistogram(viewId, buckets),
    'records/read-facets': ({ snapshotId }) => cache.readFacets(snapshotId),
    'records/read-record': ({ snapshotId, seq }) => cache.readRecord(snapshotId, seq),
    'records/read-session': ({ connectionId, sessionId }) => cache.readSession(connectionId, sessionId),
  };
}
