import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, Handlers } from '../../common/contract/index.ts';
import type { Period } from '../../common/model/period.ts';
import type { Snapshot } from '../../common/model/snapshot.ts';
import type { ReportKind } from '../../common/reporting/report-identifiers.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import { walkReport } from './walk-report.ts';

/** Records may still arrive this long after their time; a younger period stays open (decision 27). */
const LOOK_BACK_MS = 600_000;

export interface DownloadsOptions {
  readonly cache: Cache;
  readonly connections: ConnectionStore;
  readonly tasks: TaskRegistry;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
}

/** Fetches reports into the cache: details as long tasks, summaries while the caller waits. */
export function createDownloads(
  options: DownloadsOptions,
): Pick<Handlers, 'downloads/start' | 'summaries/fetch'> {
  const { cache, connections, tasks, emit, logger, now } = options;

  const beginSnapshot = async (
    connectionId: string,
    report: ReportKind,
    period: Period,
  ): Promise<Snapshot> => {
    const connection = connections.get(connectionId);
    const startedAtMs = now();
    const snapshot = await cache.createSnapshot({
      connectionId,
      tenant: connection.tenant,
      report,
      period,
      startedAtMs,
      stillOpen: period.toMs >= startedAtMs - LOOK_BACK_MS,
    });
    emit('snapshots/changed', snapshot);
    return snapshot;
  };

  const fillSnapshot = async (
    snapshot: Snapshot,
    task: Pick<TaskHandle, 'signal' | 'progress' | 'update'>,
  ): Promise<Snapshot> => {
    const connection = connections.get(snapshot.connectionId);
    let latest = snapshot;
    try {
      const state = await walkReport({
        client: connections.clientFor(snapshot.connectionId),
        cache,
        snapshot,
        pageSize: connection.pageSize,
        signal: task.signal,
        onRetry: (retryAtMs) => task.update({ retryAtMs }),
        onPage: (received, totalDocument) => {
          task.update({ retryAtMs: null });
          task.progress(received, totalDocument);
        },
        onStored: (stored) => {
          latest = stored;
          emit('snapshots/changed', stored);
        },
      });
      latest = await cache.finishSnapshot(snapshot.id, state, null);
      emit('snapshots/changed', latest);
      return latest;
    } catch (error) {
      const cause = task.signal.aborted
        ? new AppError('app.cancelled', 'The download was cancelled.', {}, error)
        : error;
      const info = toErrorInfo(cause);
      logger.warn('download ended early', { report: snapshot.report, code: info.code, error });
      // What arrived stays: it is a true part of the report.
      const state = latest.pageCount > 0 ? 'incomplete' : 'failed';
      emit('snapshots/changed', await cache.finishSnapshot(snapshot.id, state, info));
      throw cause;
    }
  };

  return {
    'downloads/start': async ({ connectionId, report, period }) => {
      const running = tasks
        .list()
        .filter(
          (task) =>
            task.kind === 'download' && task.state === 'running' && task.connectionId === connectionId,
        );
      const ids = running.flatMap(({ snapshotId }) => (snapshotId === null ? [] : [snapshotId]));
      const snapshots = await Promise.all(ids.map((id) => cache.getSnapshot(id)));
      if (snapshots.some((snapshot) => snapshot.report === report)) {
        throw new AppError('downloads.already-running', 'This report is being downloaded already.');
      }
      const snapshot = await beginSnapshot(connectionId, report, period);
      const task = tasks.start(
        { kind: 'download', connectionId, snapshotId: snapshot.id, total: null },
        async (handle) => {
          await fillSnapshot(snapshot, handle);
        },
      );
      return { taskId: task.id, snapshotId: snapshot.id };
    },
    'summaries/fetch': async ({ connectionId, direction, period }) => {
      const snapshot = await beginSnapshot(connectionId, `${direction}-summary`, period);
      return fillSnapshot(snapshot, {
        signal: new AbortController().signal,
        progress: () => undefined,
        update: () => undefined,
      });
    },
  };
}
