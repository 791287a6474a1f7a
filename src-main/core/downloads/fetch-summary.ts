import { toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { Snapshot } from '../../common/model/snapshot.ts';
import type { Cache } from '../cache/cache.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import { walkReport } from './walk-report.ts';

/** Reads a summary into its snapshot while the caller waits. Rejects with the AppError that ended it. */
export async function fetchSummary(options: {
  readonly cache: Cache;
  readonly client: ReportingClient;
  readonly snapshot: Snapshot;
  readonly pageSize: number;
  readonly emit: Emit;
}): Promise<Snapshot> {
  const { cache, client, snapshot, pageSize, emit } = options;
  let pageCount = 0;
  try {
    const end = await walkReport({
      ...{ client, cache, snapshot, period: snapshot.period, cursor: '', received: 0 },
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
    const finished = await cache.finishSnapshot(snapshot.id, state, null);
    emit('snapshots/changed', finished);
    return finished;
  } catch (error) {
    const state = pageCount > 0 ? 'incomplete' : 'failed';
    emit('snapshots/changed', await cache.finishSnapshot(snapshot.id, state, toErrorInfo(error)));
    throw error;
  }
}
