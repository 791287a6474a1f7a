import type { Handlers, HandlersOf } from '../../common/contract/index.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';

/** The handlers of `summaries/…`. */
export function createSummariesHandlers(parts: {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly startSummary: Handlers['summaries/start-fetch'];
}): HandlersOf<'summaries'> {
  const { cache, engine, startSummary } = parts;
  return {
    'summaries/start-fetch': startSummary,
    'summaries/read': ({ snapshotId }) => cache.readSummary(snapshotId),
    'summaries/compute': async (scope) => {
      const groups = await engine.summarise(scope);
      const snapshotId = 'snapshotId' in scope ? scope.snapshotId : null;
      const requestCount = groups.reduce((sum, { count }) => sum + count, 0);
      return { source: 'computed', snapshotId, groups, requestCount };
    },
  };
}
