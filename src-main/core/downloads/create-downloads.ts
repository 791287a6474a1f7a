import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, Handlers, Input } from '../../common/contract/index.ts';
import type { Period } from '../../common/model/period.ts';
import type { DetailKind, ReportKind } from '../../common/reporting/report-identifiers.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import { createGate } from '../client/gate.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import { askTotal } from './ask-total.ts';
import { toCertificate, toCertificateFileName } from './certificate.ts';
import { createDownloadRunner } from './create-download-runner.ts';
import { createDownloadStarter, type NewDownload } from './create-download-starter.ts';
import { fetchSummary } from './fetch-summary.ts';
import { findHoles, toCoveredSpan, toPeriod } from './find-holes.ts';
import { planDownload } from './plan-download.ts';
import { createDownloadClock, type DownloadClock } from './sleep-awake.ts';
import { suggestSliceDays } from './slice-period.ts';

export interface DownloadsOptions {
  readonly cache: Cache;
  readonly connections: ConnectionStore;
  readonly tasks: TaskRegistry;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
  /** Bytes free on the disk of the data folder; null where it can't be told. */
  readFreeBytes(): number | null;
  readonly clock?: DownloadClock;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

type DownloadOperation = Extract<keyof Handlers, `downloads/${string}`> | 'summaries/fetch';

export interface Downloads {
  readonly operations: Pick<Handlers, DownloadOperation>;
  /** Goes on with what was queued or under way when the application last ended; what was paused stays so. */
  resumeInterrupted(): Promise<void>;
}

/**
 * Fetches reports into the cache: details as long tasks that outlast the application, summaries while the
 * caller waits.
 */
export function createDownloads(options: DownloadsOptions): Downloads {
  const { cache, connections, tasks, emit, logger, now, random = Math.random } = options;
  const clock = options.clock ?? createDownloadClock(now);
  const runner = createDownloadRunner({ cache, connections, tasks, emit, logger, clock, random });
  const starter = createDownloadStarter({ cache, connections, runner, emit, logger, now });

  /** Two questions at once whether a period or a download is under way must not both hear no. */
  const inTurn = createGate(1);
  const listOf = async (connectionId: string, report: ReportKind): Promise<DownloadRow[]> =>
    (await cache.downloads.list(connectionId)).filter(({ snapshot }) => snapshot.report === report);
  const isUnderWay = ({ snapshot }: DownloadRow): boolean => runner.findActive(snapshot.id) !== null;
  const readIdle = async (snapshotId: number): Promise<DownloadRow> => {
    const row = await cache.downloads.get(snapshotId);
    if (!isUnderWay(row) && row.snapshot.state !== 'complete') return row;
    throw toNotResumable(snapshotId);
  };
  const stop = async (snapshotId: number, how: (taskId: string) => void): Promise<DownloadRow> => {
    const taskId = runner.findActive(snapshotId);
    if (taskId !== null) {
      how(taskId);
      await tasks.whenEnded(taskId);
    }
    return cache.downloads.get(snapshotId);
  };
  /** Throws `downloads.already-running` while the same period of the report is under way. */
  const beginOnce = async (download: NewDownload): ReturnType<typeof starter.begin> => {
    const { connectionId, report, period, sliceDays, refreshOf } = download;
    const isSame = ({ snapshot: { period: other } }: DownloadRow): boolean =>
      other.startDate === period.startDate && other.endDate === period.endDate;
    if ((await listOf(connectionId, report)).some((row) => isSame(row) && isUnderWay(row))) {
      throw new AppError('downloads.already-running', 'This period is being downloaded already.');
    }
    return starter.begin({ connectionId, report, period, sliceDays, refreshOf });
  };
  const listHoles = async (input: Input<'downloads/find-holes'>): Promise<Period[]> => {
    const { serviceZone } = connections.get(input.connectionId);
    const rows = await listOf(input.connectionId, input.report);
    const covered = rows.flatMap((row) => toCoveredSpan(row.snapshot, isUnderWay(row)) ?? []);
    const span = { fromMs: input.fromMs, toMs: Math.min(input.toMs, now()) };
    return findHoles(span, covered).map((hole) => toPeriod(hole, serviceZone));
  };
  const readCertificate = async (snapshotId: number) =>
    toCertificate(
      await cache.downloads.get(snapshotId),
      await cache.downloads.readJournalFigures(snapshotId),
    );

  const operations: Downloads['operations'] = {
    'downloads/start': ({ connectionId, report, period, sliceDays = null }) =>
      inTurn(() => beginOnce({ connectionId, report, period, sliceDays, refreshOf: null })),
    'downloads/plan': async ({ connectionId, report, period }) => {
      const { pageSize } = connections.get(connectionId);
      const client = connections.clientFor(connectionId);
      const [asked, pace] = await Promise.all([
        askTotal(client, report, period, new AbortController().signal),
        cache.downloads.readPace(connectionId, report),
      ]);
      return planDownload({ asked, pace, pageSize, period, freeBytes: options.readFreeBytes() });
    },
    'downloads/list': async ({ connectionId }) =>
      (await cache.downloads.list(connectionId)).map((row) => runner.show(row)),
    'downloads/pause': async ({ snapshotId }) =>
      runner.show(await stop(snapshotId, (taskId) => tasks.pause(taskId))),
    'downloads/resume': ({ snapshotId }) =>
      inTurn(async () => {
        const row = await readIdle(snapshotId);
        if (!runner.show(row).canResume) throw toNotResumable(snapshotId);
        return starter.goOn(row);
      }),
    'downloads/cancel': async ({ snapshotId }) => {
      const row = await stop(snapshotId, (taskId) => tasks.cancel(taskId));
      if (row.state === 'ended') return runner.show(row);
      const failure = toErrorInfo(new AppError('app.cancelled', 'The download was cancelled.'));
      const snapshotState = row.snapshot.pageCount > 0 ? 'incomplete' : 'failed';
      const change = { snapshotId, state: 'ended', failure, snapshotState, atMs: now() } as const;
      return runner.announce(await cache.downloads.change(change));
    },
    'downloads/retry': ({ snapshotId }) =>
      inTurn(async () => {
        const row = await readIdle(snapshotId);
        if (runner.show(row).canResume) return starter.goOn(row);
        return starter.goOn(await cache.downloads.restartWalk({ snapshotId, remark: null }));
      }),
    'downloads/refresh': ({ snapshotId }) =>
      inTurn(async () => {
        const { snapshot, sliceDays } = await cache.downloads.get(snapshotId);
        const report = snapshot.report as DetailKind;
        return beginOnce({ ...snapshot, report, sliceDays, refreshOf: snapshotId });
      }),
    'downloads/find-holes': listHoles,
    'downloads/fetch-holes': (input) =>
      inTurn(async () => {
        const { connectionId, report } = input;
        const holes = await listHoles(input);
        const downloads = holes.map((period) => {
          const sliceDays = suggestSliceDays(period);
          return starter.begin({ connectionId, report, period, sliceDays, refreshOf: null });
        });
        return Promise.all(downloads);
      }),
    'downloads/read-certificate': ({ snapshotId }) => readCertificate(snapshotId),
    'downloads/export-certificate': async ({ snapshotId }) => {
      const certificate = await readCertificate(snapshotId);
      const text = `${JSON.stringify(certificate, null, 2)}\n`;
      return { fileName: toCertificateFileName(certificate), text };
    },
    'summaries/fetch': async ({ connectionId, direction, period }) => {
      const { pageSize } = connections.get(connectionId);
      const client = connections.clientFor(connectionId);
      const snapshot = await starter.beginSnapshot(connectionId, `${direction}-summary`, period);
      return fetchSummary({ cache, client, snapshot, pageSize, emit });
    },
  };
  return { operations, resumeInterrupted: () => starter.resumeInterrupted() };
}

function toNotResumable(snapshotId: number): AppError {
  return new AppError('downloads.not-resumable', 'There is nothing left to fetch, or it is under way.', {
    snapshotId,
  });
}
