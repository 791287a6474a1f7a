import { toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, Handlers } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { DownloadStarter } from './create-download-starter.ts';
import { walkReport } from './walk-report.ts';

/** Makes the function that reads a summary into a snapshot. It rejects with the AppError that ended the walk. */
export function createSummaryFetcher(options: {
  readonly cache: Cache;
  readonly connections: ConnectionStore;
  readonly starter: DownloadStarter;
  readonly emit: Emit;
}): Handlers['summaries/fetch'] {
  const { cache, connections, starter, emit } = options;
  return async ({ connectionId, direction, period }) => {
    const { pageSize } = connections.get(connectionId);
    const client = connections.clientFor(connectionId);
    const snapshot = await starter.beginSnapshot(connectionId, `${direction}-summary`, period);
    let pageCount = 0;
    try {
      const end = await walkReport({
        client,
        cache,
        snapshot,
        period,
        cursor: '',
        received: 0,
        signal: new AbortController().signal,
        readPageSize: () => pageSize,
        onRetry: () => undefined,
        onPage: () => undefined,
        onStored: (stored) => {
          pageCount = stored.pageCount;
          emit('snapshots/changed', stored);
        },
      });
      const state = end === 'cursor-repeated' ? 'incomplete' : 'complete';
      const finished = await cache.finishSnapshot({ snapshotId: snapshot.id, state, failure: null });
      emit('snapshots/changed', finished);
      return finished;
    } catch (error) {
      const state = pageCount > 0 ? 'incomplete' : 'failed';
      const failure = toErrorInfo(error);
      emit('snapshots/changed', await cache.finishSnapshot({ snapshotId: snapshot.id, state, failure }));
      throw error;
    }
  };
}
