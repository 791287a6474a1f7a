import type { Handlers, HandlersOf } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';

/** The handlers of `summaries/…`. */
export function createSummariesHandlers(parts: {
  readonly cache: Cache;
  readonly startSummary: Handlers['summaries/start-fetch'];
}): HandlersOf<'summaries'> {
  const { cache, startSummary } = parts;
  return {
    'summaries/start-fetch': startSummary,
    'summaries/read': ({ snapshotId }) => cache.readSummary(snapshotId),
    'summaries/compute': ({ snapshotId }) => cache.computeSummary(snapshotId),
  };
}
