import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, Handlers, Output } from '../../common/contract/index.ts';
import type { Period } from '../../common/model/period.ts';
import type { Snapshot } from '../../common/model/snapshot.ts';
import type { DetailKind, ReportKind } from '../../common/reporting/report-identifiers.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadRow } from '../cache/download-rows.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import { askTotal } from './ask-total.ts';
import { toCertificate, toCertificateFileName } from './certificate.ts';
import { createDownloadRunner } from './create-download-runner.ts';
import { fetchSummary } from './fetch-summary.ts';
import { findHoles, LOOK_BACK_MS, toCoveredSpan, toPeriod } from './find-holes.ts';
import { planDownload } from './plan-download.ts';
import { suggestSliceDays } from './slice-period.ts';
import { createDownloadClock, type DownloadClock } from './sleep-awake.ts';
import { canResume } from './to-download.ts';

export interface DownloadsOptions {
  readonly cache: Cache;
  readonly connections: ConnectionStore;
  readonly tasks: TaskRegistry;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
  /** Bytes free on the disk of the data folder; null where it can't be told. */
  readFreeBytes(): Promise<number | null>;
  readonly clock?: DownloadClock;
  readonly random?: () => number;
}

type Started = Output<'downloads/start'>;
type DownloadOperation = Extract<keyof Handlers, `downloads/${string}`> | 'summaries/fetch';

export interface Downloads {
  readonly operations: Pick<Handlers, DownloadOperation>;
  /** Goes on with what was queued or under way when the application last ended; what was paused stays so. */
  resumeInterrupted(): Promise<void>;
}

interface NewDownload {
  readonly connectionId: string;
  readonly report: DetailKind;
  readonly period: Period;
  readonly sliceDays: number | null;
  readonly refreshOf: number | null;
}

/** Fetches reports into the cache: details as long tasks that outlast the application, summaries while the caller waits. */
export function createDownloads(options: DownloadsOptions): Downloads {
  const { cache, connections, tasks, emit, logger, now, random = Math.random } = options;
  const clock = options.clock ?? createDownloadClock(now);
  const runner = createDownloadRunner({ cache, connections, tasks, emit, logger, clock, random });

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

  const queue = async (
    snapshot: Snapshot,
    more: Pick<DownloadRow, 'sliceDays' | 'resumedCount'> & { refreshOf: number | null },
    isUnwatched: boolean,
  ): Promise<Started> => {
    const { baseAddress } = connections.get(snapshot.connectionId);
    const queued = { ...more, snapshotId: snapshot.id, queuedAtMs: now(), baseAddress };
    const row = await cache.downloads.queue(queued);
    return { taskId: runner.launch(row, { isUnwatched }), snapshotId: snapshot.id };
  };
  const begin = async (download: NewDownload): Promise<Started> => {
    const { connectionId, report, period, sliceDays, refreshOf } = download;
    const snapshot = await beginSnapshot(connectionId, report, period);
    return queue(snapshot, { sliceDays, refreshOf, resumedCount: 0 }, false);
  };
  const goOn = ({ snapshot, sliceDays, resumedCount }: DownloadRow, isUnwatched = false): Promise<Started> =>
    queue(snapshot, { sliceDays, refreshOf: null, resumedCount: resumedCount + 1 }, isUnwatched);

  const listOf = async (connectionId: string, report: ReportKind): Promise<DownloadRow[]> =>
    (await cache.downloads.list(connectionId)).filter(({ snapshot }) => snapshot.report === report);
  const isUnderWay = ({ snapshot }: DownloadRow): boolean => runner.findActive(snapshot.id) !== null;

  const listHoles = async (input: {
    connectionId: string;
    report: DetailKind;
    fromMs: number;
    toMs: number;
  }): Promise<Period[]> => {
    const { serviceZone } = connections.get(input.connectionId);
    const rows = await listOf(input.connectionId, input.report);
    const covered = rows.flatMap((row) => toCoveredSpan(row.snapshot, isUnderWay(row)) ?? []);
    const span = { fromMs: input.fromMs, toMs: Math.min(input.toMs, now()) };
    return findHoles(span, covered).map((hole) => toPeriod(hole, serviceZone));
  };
  const stop = async (snapshotId: number, how: (taskId: string) => void): Promise<void> => {
    const taskId = runner.findActive(snapshotId);
    if (taskId === null) return;
    how(taskId);
    await tasks.whenEnded(taskId);
  };
  const readCertificate = async (snapshotId: number) =>
    toCertificate(
      await cache.downloads.get(snapshotId),
      await cache.downloads.readJournalFigures(snapshotId),
    );

  return {
    operations: {
      'downloads/start': async ({ connectionId, report, period, sliceDays = null }) => {
        const same = (await listOf(connectionId, report)).filter(
          ({ snapshot: { period: other } }) =>
            other.startDate === period.startDate && other.endDate === period.endDate,
        );
        if (same.some(isUnderWay)) {
          throw new AppError('downloads.already-running', 'This period is being downloaded already.');
        }
        return begin({ connectionId, report, period, sliceDays, refreshOf: null });
      },
      'downloads/plan': async ({ connectionId, report, period }) => {
        const { pageSize } = connections.get(connectionId);
        const client = connections.clientFor(connectionId);
        const [asked, pace, freeBytes] = await Promise.all([
          askTotal(client, report, period, new AbortController().signal),
          cache.downloads.readPace(connectionId, report),
          options.readFreeBytes(),
        ]);
        return planDownload({ asked, pace, pageSize, period, freeBytes });
      },
      'downloads/list': async ({ connectionId }) =>
        (await cache.downloads.list(connectionId)).map((row) => runner.show(row)),
      'downloads/pause': async ({ snapshotId }) => {
        await stop(snapshotId, (taskId) => tasks.pause(taskId));
        return runner.show(await cache.downloads.get(snapshotId));
      },
      'downloads/resume': async ({ snapshotId }) => {
        const row = await cache.downloads.get(snapshotId);
        if (isUnderWay(row) || !canResume(row)) throw toNotResumable(snapshotId);
        return goOn(row);
      },
      'downloads/cancel': async ({ snapshotId }) => {
        await stop(snapshotId, (taskId) => tasks.cancel(taskId));
        const row = await cache.downloads.get(snapshotId);
        if (row.state === 'ended') return runner.show(row);
        const failure = toErrorInfo(new AppError('app.cancelled', 'The download was cancelled.'));
        const snapshotState = row.snapshot.pageCount > 0 ? 'incomplete' : 'failed';
        const change = { snapshotId, state: 'ended', failure, snapshotState, atMs: now() } as const;
        return runner.announce(await cache.downloads.change(change));
      },
      'downloads/retry': async ({ snapshotId }) => {
        const row = await cache.downloads.get(snapshotId);
        if (isUnderWay(row) || row.snapshot.state === 'complete') throw toNotResumable(snapshotId);
        return goOn(canResume(row) ? row : await cache.downloads.restartWalk({ snapshotId, remark: null }));
      },
      'downloads/refresh': async ({ snapshotId }) => {
        const { snapshot, sliceDays } = await cache.downloads.get(snapshotId);
        const { connectionId, period } = snapshot;
        const report = snapshot.report as DetailKind;
        return begin({ connectionId, report, period, sliceDays, refreshOf: snapshotId });
      },
      'downloads/find-holes': listHoles,
      'downloads/fetch-holes': async ({ connectionId, report, ...span }) => {
        const started: Started[] = [];
        for (const period of await listHoles({ connectionId, report, ...span })) {
          const sliceDays = suggestSliceDays(period);
          started.push(await begin({ connectionId, report, period, sliceDays, refreshOf: null }));
        }
        return started;
      },
      'downloads/read-certificate': ({ snapshotId }) => readCertificate(snapshotId),
      'downloads/export-certificate': async ({ snapshotId }) => {
        const certificate = await readCertificate(snapshotId);
        const text = `${JSON.stringify(certificate, null, 2)}\n`;
        return { fileName: toCertificateFileName(certificate), text };
      },
      'summaries/fetch': async ({ connectionId, direction, period }) => {
        const { pageSize } = connections.get(connectionId);
        const client = connections.clientFor(connectionId);
        const snapshot = await beginSnapshot(connectionId, `${direction}-summary`, period);
        return fetchSummary({ cache, client, snapshot, pageSize, emit });
      },
    },
    async resumeInterrupted() {
      const rows = await cache.downloads.list(null);
      const left = rows.filter(({ state }) => state === 'queued' || state === 'running');
      // Those that were under way first, then in the order they were asked for.
      const rank = ({ state, queuedAtMs }: DownloadRow): number => (state === 'running' ? 0 : queuedAtMs);
      for (const row of left.toSorted((a, b) => rank(a) - rank(b))) {
        const snapshotId = row.snapshot.id;
        try {
          await (row.state === 'running'
            ? goOn(row, true)
            : queue(row.snapshot, { ...row, refreshOf: null }, true));
          logger.info('a download goes on', { snapshotId, records: row.snapshot.recordCount });
        } catch (error) {
          logger.warn('a download can not go on', { snapshotId, error });
          const failure = toErrorInfo(error);
          const change = { snapshotId, state: 'ended', failure, snapshotState: null, atMs: now() } as const;
          await cache.downloads.change(change);
        }
      }
    },
  };
}

function toNotResumable(snapshotId: number): AppError {
  return new AppError('downloads.not-resumable', 'There is nothing left to fetch, or it is under way.', {
    snapshotId,
  });
}
