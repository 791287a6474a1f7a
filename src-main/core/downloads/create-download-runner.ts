import { AppError, toErrorInfo, type ErrorInfo } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { Download } from '../../common/model/cache/download.ts';
import type { SnapshotState } from '../../common/model/cache/snapshot.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadChange } from '../cache/write/snapshot-writes.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import { rejectOnAbort } from '../calls/calls.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import {
  createThrottle,
  isActive,
  type TaskHandle,
  type TaskRegistry,
  TaskStop,
} from '../tasks/task-registry.ts';
import type { FetchQueue, ServiceShare } from './fetch-queue.ts';
import { runDownload, type DownloadRun } from './run-download.ts';
import type { DownloadClock } from './judge-failure.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { hasBrokenEnd } from './walk-report.ts';

interface RunnerOptions {
  readonly cache: DownloadRun['cache'] & Pick<Cache, 'changeDownload' | 'addDownloadRemark'>;
  readonly connections: Pick<ConnectionStore, 'get' | 'clientFor'>;
  readonly tasks: TaskRegistry;
  readonly emit: Emit;
  readonly logger: Logger;
  readonly clock: DownloadClock;
  readonly queue: Pick<FetchQueue, 'download'>;
  random(): number;
  /** Settles once a connection's service has started, where the application itself is starting it. */
  whenStarted(connectionId: string): Promise<void>;
}

export interface DownloadRunner {
  /** Registers the task of a download that was queued in the cache; returns the task's id. */
  launch(row: DownloadRow, options: { readonly isUnwatched: boolean }): string;
  /** The task that works on a snapshot, or waits for its turn; null when none does. */
  findActive(snapshotId: number): string | null;
  /** A download as the window sees it. */
  show(row: DownloadRow): Download;
  announce(row: DownloadRow): Download;
}

const PROGRESS_INTERVAL_MS = 100;
/** After this long in the queue, the user no longer waits in front of a download. */
const WATCHED_MS = 60_000;

/** Throws where the connection no longer leads to what a download began with: no certificate covers two services. */
function refuseOther(
  { snapshot, baseAddress, reportIdentifier }: DownloadRow,
  { kind, ...connection }: SavedConnection,
): void {
  const { tenant, report } = snapshot;
  if (connection.tenant !== tenant) {
    throw new AppError('downloads.other-tenant', 'The connection is of another tenant now.', { tenant });
  }
  // The local service stays the same one, whichever port it was given.
  const isElsewhere = kind !== 'local' && baseAddress !== '' && baseAddress !== connection.baseAddress;
  const identifier = connection.reportIdentifiers[report];
  const isOther = reportIdentifier !== '' && reportIdentifier.toLowerCase() !== identifier.toLowerCase();
  if (!isElsewhere && !isOther) return;
  throw new AppError('downloads.other-service', 'The connection leads elsewhere now.', {
    address: baseAddress,
    reportIdentifier,
  });
}

/** Runs downloads as tasks, in the order in which the queue lets them. */
export function createDownloadRunner(options: RunnerOptions): DownloadRunner {
  const { cache, connections, tasks, emit, logger, clock, queue, random, whenStarted } = options;
  const taskIds = new Map<number, string>();
  const waiting = new Map<number, Waiting>();
  /** Pauses that could not be written, such as one for a full disk. */
  const unsaved = new Map<number, ErrorInfo | null>();

  const findActive = (snapshotId: number): string | null => {
    const taskId = taskIds.get(snapshotId);
    return tasks.list().some((task) => task.id === taskId && isActive(task)) ? (taskId ?? null) : null;
  };
  const show = (row: DownloadRow): Download => {
    const { id } = row.snapshot;
    const failure = unsaved.get(id);
    const isUnsaved = failure !== undefined && row.state !== 'ended';
    const known: DownloadRow = isUnsaved ? { ...row, state: 'paused', failure } : row;
    return toDownload(known, taskIds.get(id) ?? null, waiting.get(id) ?? null);
  };
  const announce = (row: DownloadRow): Download => {
    const download = show(row);
    emit('snapshots/changed', row.snapshot);
    emit('downloads/changed', download);
    return download;
  };
  const change = async (changed: Omit<DownloadChange, 'atMs'>): Promise<void> => {
    waiting.delete(changed.snapshotId);
    announce(await cache.changeDownload({ ...changed, atMs: clock.now() }));
  };
  const emitShown = (snapshotId: number): void => {
    cache
      .getDownload(snapshotId)
      .then(announce)
      .catch((error: unknown) => logger.warn('a download could not be shown', { snapshotId, error }));
  };
  const showWaiting = (snapshotId: number, failure: ErrorInfo | null, retryAtMs: number | null): void => {
    if (failure === null || retryAtMs === null) waiting.delete(snapshotId);
    else waiting.set(snapshotId, { failure, retryAtMs });
    emitShown(snapshotId);
  };

  const run = async (
    row: DownloadRow,
    task: TaskHandle,
    isUnwatched: boolean,
    share: ServiceShare,
  ): Promise<void> => {
    const { id: snapshotId, connectionId } = row.snapshot;
    let stored = row.snapshot;
    const progress = createThrottle(PROGRESS_INTERVAL_MS, () => emit('snapshots/changed', stored));
    await rejectOnAbort(whenStarted(connectionId), task.signal);
    task.begin(row.sliceFirstSeq + row.walkEntryCount);
    await change({ snapshotId, state: 'running', failure: null, snapshotState: null });
    const work = runDownload({
      snapshotId,
      cache,
      share,
      clock,
      logger,
      task,
      random,
      isUnwatched: isUnwatched || clock.now() - row.queuedAtMs > WATCHED_MS,
      connect: () => {
        const connection = connections.get(connectionId);
        refuseOther(row, connection);
        const { pageSize, walks = 0 } = connection;
        const maxWalks = walks === 0 ? null : walks;
        return { client: connections.clientFor(connectionId), pageSize, maxWalks };
      },
      onStored: (snapshot) => {
        stored = snapshot;
        progress.request();
      },
      onSlice: () => emitShown(snapshotId),
      onWaiting: (error, retryAtMs) =>
        showWaiting(snapshotId, error === null ? null : toErrorInfo(error), retryAtMs),
    });
    const state = await work.finally(() => progress.flush());
    await change({ snapshotId, state: 'ended', failure: null, snapshotState: state });
  };

  /** Saves how a download was stopped. One stopped by the application's end keeps its state, to resume next time. */
  const settle = async (snapshotId: number, thrown: unknown): Promise<void> => {
    const stop = thrown instanceof TaskStop ? thrown : null;
    waiting.delete(snapshotId);
    if (stop?.kind === 'closing') return;
    const failure = stop?.kind === 'paused' ? stop.cause : thrown;
    const info = failure === undefined ? null : toErrorInfo(failure);
    if (stop?.kind === 'paused') {
      return change({ snapshotId, state: 'paused', failure: info, snapshotState: 'paused' });
    }
    if (info?.code === 'downloads.changed-meanwhile') {
      await cache.addDownloadRemark({ snapshotId, remark: 'changed-meanwhile' });
    }
    // What arrived is kept: it is part of the report.
    const { snapshot } = await cache.getDownload(snapshotId);
    const snapshotState: SnapshotState = snapshot.pageCount > 0 ? 'incomplete' : 'failed';
    return change({ snapshotId, state: 'ended', failure: info, snapshotState });
  };

  const work = async (row: DownloadRow, task: TaskHandle, isUnwatched: boolean): Promise<void> => {
    const { id: snapshotId } = row.snapshot;
    try {
      await queue.download(row.snapshot, (share) => run(row, task, isUnwatched, share), task.signal);
    } catch (error) {
      const thrown: unknown = task.signal.aborted ? task.signal.reason : error;
      await settle(snapshotId, thrown).catch((failure: unknown) => {
        // A full disk rejects this write too: the download is shown as paused, and the next start resumes it.
        logger.error('the end of a download could not be saved', { snapshotId, error: failure });
        unsaved.set(snapshotId, toErrorInfo(thrown instanceof TaskStop ? (thrown.cause ?? thrown) : thrown));
        emitShown(snapshotId);
      });
      throw thrown instanceof Error ? thrown : new AppError('app.bug', String(thrown));
    }
  };

  return {
    launch(row, { isUnwatched }) {
      const { id: snapshotId, connectionId, totalDocument: total } = row.snapshot;
      const task = tasks.start(
        { kind: 'download', connectionId, snapshotId, total, isQueued: true },
        (handle) => work(row, handle, isUnwatched),
      );
      taskIds.set(snapshotId, task.id);
      unsaved.delete(snapshotId);
      announce(row);
      return task.id;
    },
    findActive,
    show,
    announce,
  };
}

/** A running download that waits to try again. */
interface Waiting {
  readonly failure: ErrorInfo;
  readonly retryAtMs: number;
}

/** A stored download as the window sees it. */
function toDownload(row: DownloadRow, taskId: string | null, waiting: Waiting | null): Download {
  const { snapshot } = row;
  const { sliceCount } = row;
  return {
    snapshotId: snapshot.id,
    connectionId: snapshot.connectionId,
    report: snapshot.report as DetailKind,
    period: snapshot.period,
    state: waiting === null ? row.state : 'waiting',
    snapshotState: snapshot.state,
    taskId,
    sliceDays: row.sliceDays,
    sliceCount,
    slicesDone: Math.min(sliceCount, row.sliceNumber + (row.nextCursor === null ? 1 : 0)),
    recordCount: snapshot.recordCount,
    totalDocument: row.forecastTotal ?? snapshot.totalDocument,
    pageSize: row.pageSize,
    canResume: canResume(row),
    resumedCount: row.resumedCount,
    queuedAtMs: row.queuedAtMs,
    endedAtMs: row.endedAtMs,
    retryAtMs: waiting?.retryAtMs ?? null,
    failure: waiting?.failure ?? row.failure,
  };
}

/** True for a download that has stopped before its end, and has a cursor to continue from. */
function canResume(row: DownloadRow): boolean {
  const isStopped = row.state === 'paused' || row.state === 'ended';
  const isLeft = row.nextCursor !== null || row.sliceNumber + 1 < row.sliceCount;
  return isStopped && isLeft && !hasBrokenEnd(row.snapshot) && row.snapshot.state !== 'complete';
}
