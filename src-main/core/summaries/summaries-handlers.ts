import type { Handlers, HandlersOf } from '../../common/contract/index.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/create-ledger.ts';
import { reconcileSummary } from './reconcile-summary.ts';

/** The handlers of `summaries/…`. */
export function createSummariesHandlers(parts: {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly connections: Pick<ConnectionStore, 'get'>;
  readonly ledger: Pick<Ledger, 'read'>;
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
    'summaries/reconcile': ({ snapshotId }) => reconcileSummary(parts, snapshotId),
  };
}
