import type { Handlers, HandlersOf } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';

/** The handlers of `summaries/…`. */
export function createSummariesHandlers(parts: {
  readonly cache: Cache;
  readonly fetchSummary: Handlers['summaries/fetch'];
}): HandlersOf<'summaries'> {
  const { cache, fetchSummary } = parts;
  return {
    'summaries/fetch': fetchSummary,
    'summaries/read': ({ snapshotId }) => cache.readSummary(snapshotId),
    'summaries/compute': ({ snapshotId }) => cache.computeSummary(snapshotId),
  };
}
