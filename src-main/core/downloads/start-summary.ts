import { toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, Handlers } from '../../common/contract/index.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import type { DownloadStarter } from './create-downloads.ts';
import { requireAgreement } from './request-period.ts';
import { listShortcomings, walkReport } from './walk-report.ts';

/** Makes the function that starts fetching a summary into a snapshot of its own, as a task. */
export function createSummaryStarter(options: {
  readonly cache: Cache;
  readonly connections: ConnectionStore;
  readonly tasks: TaskRegistry;
  readonly starter: DownloadStarter;
  readonly emit: Emit;
}): Handlers['summaries/start-fetch'] {
  const { cache, connections, tasks, starter, emit } = options;

  const replaceLooks = async (snapshotId: number, isKept: boolean): Promise<void> => {
    const snapshotIds = await cache.replaceLooks({ snapshotId, isKept });
    if (snapshotIds.length > 0) emit('snapshots/removed', { snapshotIds });
  };
  const fetchInto = async (snapshot: Snapshot, task: TaskHandle): Promise<void> => {
    const { id: snapshotId, connectionId, period } = snapshot;
    let latest = snapshot;
    try {
      const { pageSize } = connections.get(connectionId);
      await walkReport({
        client: connections.clientFor(connectionId),
        cache,
        snapshot,
        asked: period,
        cursor: '',
        received: 0,
        signal: task.signal,
        readPageSize: () => pageSize,
        onRetry: (retryAtMs) => task.update({ retryAtMs }),
        onPage: (received, total) => {
          task.update({ retryAtMs: null });
          task.progress(received, total);
        },
        onStored: (stored) => {
          latest = stored;
          emit('snapshots/changed', stored);
        },
      });
      const state = listShortcomings(latest).length === 0 ? 'complete' : 'incomplete';
      emit('snapshots/changed', await cache.finishSnapshot({ snapshotId, state, failure: null }));
      if (snapshot.isLook === true) await replaceLooks(snapshotId, true);
    } catch (error) {
      if (snapshot.isLook === true) {
        await replaceLooks(snapshotId, false);
        throw error;
      }
      const state = latest.pageCount > 0 ? 'incomplete' : 'failed';
      const failure = toErrorInfo(error);
      emit('snapshots/changed', await cache.finishSnapshot({ snapshotId, state, failure }));
      throw error;
    }
  };

  return async ({ connectionId, direction, period, isLook = false }) => {
    requireAgreement(period);
    const snapshot = await starter.beginSnapshot(connectionId, `${direction}-summary`, period, isLook);
    const { id: snapshotId } = snapshot;
    const task = tasks.start({ kind: 'summary', connectionId, snapshotId }, (handle) =>
      fetchInto(snapshot, handle),
    );
    return { taskId: task.id, snapshotId };
  };
}
