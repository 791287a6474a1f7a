import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { HandlersOf, Input } from '../../common/contract/index.ts';
import type { Period } from '../../common/model/period.ts';
import { SECOND_MS } from '../../common/time/durations.ts';
import { isShownTwice } from '../../common/time/civil-time.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { toReportPath, type DetailKind, type ReportKind } from '../../common/reporting/reports.ts';
import type { Cache } from '../cache/cache.ts';
import type { AskedPage, DownloadRow } from '../cache/read/download-rows.ts';
import { createWorkQueue } from '../../node/gate.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import {
  askTotal,
  planDownload,
  requireAgreement,
  toAskedEnd,
  toAskedStart,
  toPeriod,
} from './slice-period.ts';
import { toCertificate, toCertificateFile, toCertificateFileName } from './certificate.ts';
import type { DownloadRunner } from './create-download-runner.ts';
import type { DownloadStarter, NewDownload } from './create-downloads.ts';
import { hasBrokenEnd } from './walk-report.ts';
import type { ConnectionDraft } from '../../common/model/connections/connection.ts';
import type { PageRequest } from '../../common/model/cache/download.ts';
import type { ReportRequest } from '../../common/reporting/wire-documents.ts';

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
    (await cache.listDownloads(connectionId)).filter(({ snapshot }) => snapshot.report === report);
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
      (await cache.listDownloads(connectionId)).map((row) => runner.show(row)),
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
