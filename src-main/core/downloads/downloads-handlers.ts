import { AppError, type ErrorInfo, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, Handlers, HandlersOf, Input, Output } from '../../common/contract/index.ts';
import type { PageRequest } from '../../common/model/cache/download.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { type ConnectionDraft, toLookBackMs } from '../../common/model/connections/connection.ts';
import type { Period } from '../../common/model/period.ts';
import { type DetailKind, type ReportKind, toReportPath } from '../../common/reporting/reports.ts';
import type { ReportRequest } from '../../common/reporting/wire-documents.ts';
import { isShownTwice } from '../../common/time/civil-time.ts';
import { SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { createWorkQueue } from '../../node/gate.ts';
import type { Cache } from '../cache/cache.ts';
import type { AskedPage, DownloadRow } from '../cache/read/download-rows.ts';
import type { QueuedDownload } from '../cache/write/snapshot-writes.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import { toCertificate, toCertificateFile, toCertificateFileName } from './certificate.ts';
import { createDownloadRunner, type DownloadRunner } from './create-download-runner.ts';
import { createFetchQueue, type FetchQueue } from './fetch-queue.ts';
import { createDownloadClock, type DownloadClock } from './judge-failure.ts';
import {
  askTotal,
  cutDownload,
  planDownload,
  requireAgreement,
  suggestSliceDays,
  toAskedEnd,
  toAskedStart,
  toPeriod,
} from './slice-period.ts';
import { hasBrokenEnd, listShortcomings, walkReport } from './walk-report.ts';

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

interface NewDownload {
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

/** Gaps that one operation answers with, or fetches. */
const MAX_GAPS = 100;

/** The handlers of `downloads/…`. */
export function createDownloadsHandlers(parts: {
  readonly cache: Cache;
  readonly connections: ConnectionStore;
  readonly tasks: TaskRegistry;
  readonly runner: DownloadRunner;
  readonly starter: DownloadStarter;
  readonly ledger: {
    /** What is neither settled nor being fetched, up to now, in order. */
    findGaps(
      subject: { readonly connectionId: string; readonly report: DetailKind },
      span: TimeSpan,
    ): Promise<Period[]>;
  };
  now(): number;
  /** Bytes free on the disk of the data folder; null where the system doesn't report it. */
  readFreeBytes(): number | null;
}): HandlersOf<'downloads'> {
  const { cache, connections, tasks, runner, starter, ledger, now, readFreeBytes } = parts;

  /** Two calls at once must not both find that nothing is under way. */
  const inTurn = createWorkQueue();
  const listOf = async (connectionId: string, report: ReportKind): Promise<DownloadRow[]> =>
    (await cache.listDownloads([connectionId])).filter(({ snapshot }) => snapshot.report === report);
  const isUnderWay = ({ snapshot }: DownloadRow): boolean => runner.findActive(snapshot.id) !== null;
  const readIdle = async (snapshotId: number): Promise<DownloadRow> => {
    const row = await cache.getDownload(snapshotId);
    const isOver = row.snapshot.state === 'complete' || row.snapshot.imported !== undefined;
    if (!isUnderWay(row) && !isOver) return row;
    throw toNotResumable(snapshotId);
  };
  const stop = async (snapshotId: number, how: (taskId: string) => void): Promise<DownloadRow> => {
    const taskId = runner.findActive(snapshotId);
    if (taskId !== null) {
      how(taskId);
      await tasks.whenEnded(taskId);
    }
    return cache.getDownload(snapshotId);
  };
  /** Throws `downloads.already-running` while the same period of the report is under way. */
  const beginOnce = async (download: NewDownload): ReturnType<DownloadStarter['begin']> => {
    const { connectionId, report, period, sliceDays, askedStart, refreshOf } = download;
    requireService(connections.get(connectionId));
    const isSame = ({ snapshot: { period: other } }: DownloadRow): boolean =>
      other.startDate === period.startDate && other.endDate === period.endDate;
    if ((await listOf(connectionId, report)).some((row) => isSame(row) && isUnderWay(row))) {
      throw new AppError('downloads.already-running', 'This period is being downloaded already.');
    }
    return starter.begin({ connectionId, report, period, sliceDays, askedStart, refreshOf });
  };
  const fetchAgain = ({
    snapshot,
    sliceDays,
    askedStart,
  }: DownloadRow): ReturnType<DownloadStarter['begin']> => {
    const report = snapshot.report as DetailKind;
    return beginOnce({ ...snapshot, report, sliceDays, askedStart, refreshOf: snapshot.id });
  };
  /** The operations include their last second. */
  const listGaps = async ({ fromMs, toMs, ...subject }: Input<'downloads/find-gaps'>): Promise<Period[]> =>
    (await ledger.findGaps(subject, { fromMs, toMs: toMs + SECOND_MS })).slice(0, MAX_GAPS);

  return {
    'downloads/start': ({ connectionId, report, sliceDays, ...asked }) => {
      const period = toExactPeriod(asked.period);
      return inTurn(() =>
        beginOnce({ connectionId, report, period, sliceDays, askedStart: '', refreshOf: null }),
      );
    },
    'downloads/start-plan': ({ connectionId, report, period }) => {
      const { pageSize } = connections.get(connectionId);
      const client = connections.clientFor(connectionId);
      const task = tasks.start({ kind: 'plan', connectionId }, async ({ signal, update }) => {
        const [asked, pace] = await Promise.all([
          askTotal(client, report, toExactPeriod(period), signal),
          cache.readPace({ connectionId, report }),
        ]);
        update({ plan: planDownload({ asked, pace, pageSize, period, freeBytes: readFreeBytes() }) });
      });
      return { taskId: task.id };
    },
    'downloads/list': async ({ connectionId }) =>
      (await cache.listDownloads(connectionId === null ? null : [connectionId])).map((row) =>
        runner.show(row),
      ),
    'downloads/pause': async ({ snapshotId }) =>
      runner.show(await stop(snapshotId, (taskId) => tasks.pause(taskId))),
    'downloads/resume': ({ snapshotId }) =>
      inTurn(async () => {
        const row = await readIdle(snapshotId);
        // What was cut off goes on by itself in a window only.
        const isCutOff = row.state === 'queued' || row.state === 'running';
        if (!isCutOff && !runner.show(row).canResume) throw toNotResumable(snapshotId);
        return starter.goOn(row);
      }),
    'downloads/cancel': async ({ snapshotId }) => {
      const row = await stop(snapshotId, (taskId) => tasks.cancel(taskId));
      if (row.state === 'ended') return runner.show(row);
      const failure = toErrorInfo(new AppError('app.cancelled', 'The download was cancelled.'));
      const snapshotState = row.snapshot.pageCount > 0 ? 'incomplete' : 'failed';
      const change = { snapshotId, state: 'ended', failure, snapshotState, atMs: now() } as const;
      return runner.announce(await cache.changeDownload(change));
    },
    'downloads/retry': ({ snapshotId }) =>
      inTurn(async () => {
        const row = await readIdle(snapshotId);
        if (runner.show(row).canResume) return starter.goOn(row);
        // Only the last slice's walk could begin again, and records may be missing in any; damage leaves holes anywhere.
        const isHoled = row.snapshot.remarks.some(({ code }) => code === 'pages-damaged');
        if (isHoled || (row.sliceNumber > 0 && !hasBrokenEnd(row.snapshot))) return fetchAgain(row);
        return starter.goOn(await cache.restartWalk({ snapshotId, remark: null }));
      }),
    'downloads/refresh': ({ snapshotId }) =>
      inTurn(async () => fetchAgain(await cache.getDownload(snapshotId))),
    'downloads/find-gaps': listGaps,
    'downloads/fetch-gaps': (input) =>
      inTurn(async () => {
        const { connectionId, report } = input;
        requireService(connections.get(connectionId));
        const gaps = await listGaps(input);
        const downloads = gaps.map((period) => {
          const askedStart = toAskedStart(period);
          const more = { sliceDays: undefined, askedStart, refreshOf: null };
          return starter.begin({ connectionId, report, period, ...more });
        });
        return Promise.all(downloads);
      }),
    'downloads/read-page-request': async (place) => {
      const row = await cache.getDownload(place.snapshotId);
      return toPageRequest(row, await cache.readAsked(place), connections.get(row.snapshot.connectionId));
    },
    'downloads/read-certificate': async ({ snapshotId }) =>
      toCertificate(await cache.getDownload(snapshotId), await cache.readJournalFigures(snapshotId)),
    'downloads/export-certificate': async ({ snapshotId }) => {
      const row = await cache.getDownload(snapshotId);
      const certificate = toCertificateFile(row, await cache.readJournalFigures(snapshotId));
      const text = `${JSON.stringify(certificate, null, 2)}\n`;
      return { fileName: toCertificateFileName(certificate), text };
    },
  };
}

/** Throws `app.invalid-input`, see `requireAgreement`. A clock that is set back shows an hour twice: a period that begins or ends there is asked for with an hour more. */
function toExactPeriod(period: Period): Period {
  requireAgreement(period);
  const { fromMs, toMs, zone } = period;
  const isTwice = [fromMs, toMs].some((atMs) => isShownTwice(atMs, zone));
  return isTwice ? toPeriod({ fromMs, toMs }, zone) : period;
}

/** Throws `connections.imported`. */
function requireService({ kind }: Pick<SavedConnection, 'kind'>): void {
  if (kind !== 'imported') return;
  throw new AppError('connections.imported', 'There is no service behind imported records.');
}

function toNotResumable(snapshotId: number): AppError {
  return new AppError('downloads.not-resumable', 'There is nothing left to fetch, or it is under way.', {
    snapshotId,
  });
}

/**
 * The request that brought a page, without its token. A cache from before identifier, address and size were kept has
 * none: then those of the connection as it is now stand for them, and `isKept` is false.
 */
function toPageRequest(
  row: DownloadRow,
  page: AskedPage,
  connection: Pick<ConnectionDraft, 'baseAddress' | 'pageSize' | 'reportIdentifiers'>,
): PageRequest {
  const { snapshot, baseAddress, reportIdentifier } = row;
  const slice = page.asked ?? snapshot.period;
  const path = toReportPath(
    snapshot.tenant,
    reportIdentifier === '' ? connection.reportIdentifiers[snapshot.report] : reportIdentifier,
  );
  const body: ReportRequest = {
    startDate: slice.startDate,
    endDate: toAskedEnd(slice),
    size: page.sizeAsked ?? connection.pageSize,
    lastDocument: page.cursorSent,
  };
  return {
    method: 'POST',
    address: `${baseAddress === '' ? connection.baseAddress : baseAddress}${path}`,
    body: JSON.stringify(body),
    isKept: baseAddress !== '' && reportIdentifier !== '' && page.sizeAsked !== null,
  };
}
