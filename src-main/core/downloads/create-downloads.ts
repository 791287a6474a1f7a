import { type ErrorInfo, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, Handlers, Output } from '../../common/contract/index.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { toLookBackMs } from '../../common/model/connections/connection.ts';
import type { Period } from '../../common/model/period.ts';
import type { DetailKind, ReportKind } from '../../common/reporting/reports.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import type { QueuedDownload } from '../cache/write/snapshot-writes.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import { createDownloadRunner, type DownloadRunner } from './create-download-runner.ts';
import { createFetchQueue, type FetchQueue } from './fetch-queue.ts';
import { createDownloadClock, type DownloadClock } from './judge-failure.ts';
import { cutDownload, requireAgreement, suggestSliceDays } from './slice-period.ts';
import { listShortcomings, walkReport } from './walk-report.ts';

/** What fetches reports into the cache: the starter writes downloads to the queue, the runner works it off. */
interface Downloads {
  readonly runner: DownloadRunner;
  readonly starter: DownloadStarter;
  /** Following waits in it too. */
  readonly queue: FetchQueue;
}

/** Builds the runner and the starter of downloads, which outlast the application. */
export function createDownloads(options: {
  readonly cache: Cache;
  readonly connections: ConnectionStore;
  readonly tasks: TaskRegistry;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
  /** Settles once a connection's service has started, where the application itself is starting it. */
  readonly whenStarted?: (connectionId: string) => Promise<void>;
  readonly clock?: DownloadClock;
  /** Returns a number from 0 up to 1. */
  readonly random?: () => number;
}): Downloads {
  const { now, clock = createDownloadClock(now), random = Math.random } = options;
  const { whenStarted = () => Promise.resolve() } = options;
  const queue = createFetchQueue(clock.now);
  const runner = createDownloadRunner({ ...options, queue, clock, random, whenStarted });
  return { queue, runner, starter: createDownloadStarter({ ...options, runner }) };
}

type Started = Output<'downloads/start'>;

export interface NewDownload {
  readonly connectionId: string;
  readonly report: DetailKind;
  readonly period: Period;
  /** Null for one piece, undefined for what is best. */
  readonly sliceDays: number | null | undefined;
  /** Where the first request begins; empty for the period's own beginning. */
  readonly askedStart: string;
  /** The snapshot that is fetched again. */
  readonly refreshOf: number | null;
}

export interface DownloadStarter {
  /** A snapshot to be filled, of any report. */
  beginSnapshot(
    connectionId: string,
    report: ReportKind,
    period: Period,
    isLook?: boolean,
  ): Promise<Snapshot>;
  begin(download: NewDownload): Promise<Started>;
  /** Queues a download again, to continue where its walk over pages stands. */
  goOn(row: DownloadRow): Promise<Started>;
  /** Resumes what was queued or under way when the application last ended; what was paused stays so. */
  resumeInterrupted(): Promise<void>;
}

/** Starts downloads: writes them to the queue first, so that they outlast the application, then launches them. */
function createDownloadStarter(options: {
  readonly cache: Cache;
  readonly connections: ConnectionStore;
  readonly runner: DownloadRunner;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
}): DownloadStarter {
  const { cache, connections, runner, emit, logger, now } = options;

  const beginSnapshot: DownloadStarter['beginSnapshot'] = async (
    connectionId,
    report,
    period,
    isLook = false,
  ) => {
    const connection = connections.get(connectionId);
    const { tenant } = connection;
    const startedAtMs = now();
    const stillOpen = period.toMs >= startedAtMs - toLookBackMs(connection);
    const about = { connectionId, tenant, report, period, startedAtMs, stillOpen, isLook };
    const snapshot = await cache.createSnapshot(about);
    emit('snapshots/changed', snapshot);
    return snapshot;
  };
  const queue = async (
    snapshot: Snapshot,
    more: Pick<DownloadRow, 'sliceDays' | 'mayCut' | 'askedStart' | 'resumedCount'> &
      Pick<NewDownload, 'refreshOf'> &
      Pick<QueuedDownload, 'slices'>,
    isUnwatched: boolean,
    connection = connections.get(snapshot.connectionId),
  ): Promise<Started> => {
    const { sliceDays, mayCut, askedStart, slices, resumedCount, refreshOf } = more;
    const row = await cache.queueDownload({
      snapshotId: snapshot.id,
      queuedAtMs: now(),
      baseAddress: connection.baseAddress,
      reportIdentifier: connection.reportIdentifiers[snapshot.report],
      sliceDays,
      mayCut,
      askedStart,
      slices,
      resumedCount,
      refreshOf,
    });
    return { taskId: runner.launch(row, { isUnwatched }), snapshotId: snapshot.id };
  };
  const goOn = ({ snapshot, ...row }: DownloadRow, isUnwatched: boolean): Promise<Started> =>
    queue(
      snapshot,
      { ...row, slices: null, refreshOf: null, resumedCount: row.resumedCount + 1 },
      isUnwatched,
    );
  /** A connection or a snapshot may have been removed; the downloads after it must not suffer from that. */
  const endUnresumed = async ({ snapshot }: DownloadRow, failure: ErrorInfo): Promise<void> => {
    const { id: snapshotId, pageCount } = snapshot;
    const snapshotState = pageCount > 0 ? 'incomplete' : 'failed';
    const change = { snapshotId, state: 'ended', failure, snapshotState, atMs: now() } as const;
    await cache.changeDownload(change).then(runner.announce, (error: unknown) => {
      logger.warn('the end of a download could not be saved', { snapshotId, error });
    });
  };

  return {
    beginSnapshot,
    async begin({ connectionId, report, period, ...more }) {
      const isOpen = more.sliceDays === undefined;
      const sliceDays = isOpen ? suggestSliceDays(period) : (more.sliceDays ?? null);
      // Read once, so that tenant, address and identifier are those of one service.
      const connection = connections.get(connectionId);
      const snapshot = await beginSnapshot(connectionId, report, period);
      const mayCut = isOpen && sliceDays === null;
      const slices = cutDownload(period, { sliceDays, askedStart: more.askedStart });
      return queue(snapshot, { ...more, sliceDays, slices, mayCut, resumedCount: 0 }, false, connection);
    },
    goOn: (row) => goOn(row, false),
    async resumeInterrupted() {
      const rows = await cache.listDownloads(null);
      const left = rows.filter(({ state }) => state === 'queued' || state === 'running');
      // Those that were under way first, then in the order they were started.
      const rank = ({ state, queuedAtMs }: DownloadRow): number => (state === 'running' ? 0 : queuedAtMs);
      for (const row of left.toSorted((a, b) => rank(a) - rank(b))) {
        const snapshotId = row.snapshot.id;
        try {
          if (row.state === 'running') await goOn(row, true);
          else await queue(row.snapshot, { ...row, slices: null, refreshOf: null }, true);
          logger.info('a download is resumed', { snapshotId, records: row.snapshot.recordCount });
        } catch (error) {
          const failure = toErrorInfo(error);
          // The application is closing already: the next start resumes it.
          if (failure.code === 'app.cancelled') return;
          logger.warn('a download could not be resumed', { snapshotId, error });
          await endUnresumed(row, failure);
        }
      }
    },
  };
}

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
