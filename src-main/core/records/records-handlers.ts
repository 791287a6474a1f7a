import { AppError } from '../../common/contract/errors.ts';
import type { Handlers } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';

type CacheOperation =
  | Extract<keyof Handlers, `records/${string}` | `overview/${string}`>
  | 'summaries/read'
  | 'summaries/compute';

/** Rows of one window; a table asks for far fewer. */
const MAX_WINDOW_ROWS = 500;

/** What the window may ask of cached records: all of it works with the network gone. */
export function createCacheOperations(cache: Cache): Pick<Handlers, CacheOperation> {
  return {
    'summaries/read': ({ snapshotId }) => cache.readSummary(snapshotId),
    'summaries/compute': ({ snapshotId }) => cache.computeSummary(snapshotId),
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
