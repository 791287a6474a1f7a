import { AppError } from '../../common/contract/errors.ts';
import type { Snapshot, SnapshotState } from '../../common/model/cache/snapshot.ts';
import type { Cache } from '../cache/cache.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import type { Logger } from '../logging/logger.ts';
import { TaskStop, type TaskHandle } from '../tasks/task-registry.ts';
import {
  adaptPageSize,
  askTotal,
  canShrink,
  cutDownload,
  type PageOutcome,
  type PageSizing,
  suggestSliceDays,
  toAskedEnd,
  toFirstSizing,
} from './slice-period.ts';
import { type DownloadClock, judgeFailure, sleepAwake } from './judge-failure.ts';
import type { ServiceShare } from './fetch-queue.ts';
import {
  type AheadPage,
  createFetchAhead,
  findTotal,
  hasBrokenEnd,
  listShortcomings,
  walkReport,
} from './walk-report.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';

/** The first page of a period in one piece shows that pieces are better. */
class BetterCut extends Error {
  readonly sliceDays: number;
  constructor(sliceDays: number) {
    super('The period is better fetched in pieces.');
    this.sliceDays = sliceDays;
  }
}

/** More than are ever requested at once. */
const SLICES_AHEAD = 20;

export interface DownloadRun {
  readonly snapshotId: number;
  readonly cache: Pick<
    Cache,
    | 'getDownload'
    | 'listNextSlices'
    | 'beginNextSlice'
    | 'cutDownload'
    | 'restartWalk'
    | 'keepPageSize'
    | 'keepForecast'
    | 'storePage'
    | 'endWalk'
    | 'addDownloadRemark'
  >;
  readonly clock: DownloadClock;
  readonly logger: Logger;
  readonly task: Pick<TaskHandle, 'signal' | 'progress' | 'update'>;
  /** Resumed after a restart, or long after it was queued: the user isn't waiting for its first page. */
  readonly isUnwatched: boolean;
  readonly share: ServiceShare;
  random(): number;
  /** The client of the connection, and what it says about downloads, as it is now. */
  connect(): {
    readonly client: Pick<ReportingClient, 'fetchPage'>;
    readonly pageSize: number;
    /** Walks that may run at once; null for as many as make it faster. */
    readonly maxWalks: number | null;
  };
  onStored(snapshot: Snapshot): void;
  /** A further slice of the period begins. */
  onSlice(): void;
  /** It waits to try again; both are null when it continues. */
  onWaiting(error: AppError | null, retryAtMs: number | null): void;
}

/**
 * Fetches what is left of a download, slice by slice, and waits out failures that may pass. Returns the state
 * that the snapshot ends in; rejects with a TaskStop (cancelled, paused, closing), which carries a failure that
 * only the user can fix, or with the AppError that ended it.
 */
export async function runDownload(run: DownloadRun): Promise<SnapshotState> {
  const { snapshotId, cache, clock, logger, task } = run;
  let sizing: PageSizing | null = null;
  let failures = 0;
  let restarts = 0;
  let withoutProgressMs = 0;
  let isWaiting = false;
  let expected: number | null = null;
  let storedSize: number | null = null;

  const readSizing = (row: DownloadRow): PageSizing =>
    sizing ?? toFirstSizing(run.connect().pageSize, row.pageSize);
  const adapt = (row: DownloadRow, outcome: PageOutcome): void => {
    sizing = adaptPageSize(readSizing(row), outcome, run.connect().pageSize);
  };
  let shownInFlight = 1;
  const showInFlight = (count: number): void => {
    const requestsInFlight = Math.max(1, count);
    if (requestsInFlight === shownInFlight) return;
    shownInFlight = requestsInFlight;
    task.update({ requestsInFlight });
  };
  const ahead = createFetchAhead({
    share: run.share,
    connect: () => run.connect(),
    readPageSize: () => sizing?.size ?? toFirstSizing(run.connect().pageSize, storedSize).size,
    now: () => clock.now(),
    onInFlight: showInFlight,
  });
  /** The first page of a period that may be cut; one that announces many is dropped, since pieces are walked at once. */
  const fetchOrCut =
    ({ snapshot }: DownloadRow) =>
    async (...[request, options]: Parameters<typeof ahead.fetchPage>): Promise<AheadPage> => {
      const page = await ahead.fetchPage(request, options);
      const total = request.lastDocument === '' ? findTotal(page.bytes) : null;
      const pages = total === null ? null : Math.ceil(total / page.sizeAsked);
      const sliceDays = suggestSliceDays(snapshot.period, pages);
      if (sliceDays !== null && request.lastDocument === '') throw new BetterCut(sliceDays);
      return page;
    };
  const walkSlice = async (row: DownloadRow): Promise<void> => {
    const slices = await cache.listNextSlices({ snapshotId, limit: SLICES_AHEAD });
    const asked = slices[0] ?? row.snapshot.period;
    storedSize = row.pageSize;
    ahead.setSlices(
      row.snapshot.report,
      slices.map((slice) => ({ startDate: slice.startDate, endDate: toAskedEnd(slice) })),
    );
    const forecast = await readForecast(cache, run.connect().client, row, task.signal);
    const isLast = row.sliceNumber + 1 >= row.sliceCount;
    // A connection that leads elsewhere by now ends the download here.
    const { maxWalks } = run.connect();
    const isUncut = row.mayCut && row.snapshot.pageCount === 0 && maxWalks !== 1;
    await walkReport({
      client: isUncut ? { fetchPage: fetchOrCut(row) } : ahead,
      cache,
      snapshot: row.snapshot,
      asked,
      cursor: row.nextCursor ?? '',
      received: row.walkEntryCount,
      signal: task.signal,
      readPageSize: () => readSizing(row).size,
      onRetry: (retryAtMs) => task.update({ retryAtMs }),
      onPage: (received, total, durationMs) => {
        adapt(row, { kind: 'received', durationMs });
        task.update({ retryAtMs: null });
        const known = total === null ? null : row.sliceTotalBefore + total;
        const all = isLast || forecast === null ? known : Math.max(forecast, known ?? 0);
        expected = isLast || forecast !== null ? all : null;
        task.progress(row.sliceFirstSeq + received, expected);
      },
      onStored: (snapshot, durationMs) => {
        if (durationMs !== null) ahead.noteStored(durationMs);
        failures = 0;
        withoutProgressMs = 0;
        if (snapshot.recordCount > row.snapshot.recordCount) restarts = 0;
        if (isWaiting) run.onWaiting(null, null);
        isWaiting = false;
        run.onStored(snapshot);
      },
    });
  };

  /** Waits, restarts the walk or shrinks the page, as the failure requires; throws what ends the download. */
  const recoverFrom = async (thrown: unknown): Promise<void> => {
    task.signal.throwIfAborted();
    if (!(thrown instanceof AppError)) throw thrown;
    const row = await cache.getDownload(snapshotId);
    // What was received and could not be stored is not there.
    task.progress(row.sliceFirstSeq + row.walkEntryCount, expected);
    failures += 1;
    const verdict = judgeFailure(
      thrown,
      {
        cursor: row.nextCursor ?? '',
        failures,
        withoutProgressMs,
        restarts,
        isWatched: row.snapshot.pageCount === 0 && !run.isUnwatched,
        canShrink: canShrink(readSizing(row), run.connect().pageSize),
      },
      run.random(),
    );
    logger.warn('a download failed for now', {
      snapshotId,
      code: thrown.code,
      failures,
      verdict: verdict.kind,
    });
    if (verdict.kind === 'stop') throw thrown;
    if (verdict.kind === 'pause') throw new TaskStop('paused', thrown);
    if (verdict.kind === 'restart-walk') {
      restarts += 1;
      await cache.restartWalk({ snapshotId, remark: 'cursor-expired' });
      return;
    }
    if (verdict.isTooMuch) {
      adapt(row, { kind: 'too-much' });
      await cache.keepPageSize({ snapshotId, pageSize: readSizing(row).size });
    }
    const retryAtMs = clock.now() + verdict.delayMs;
    isWaiting = true;
    task.update({ retryAtMs });
    run.onWaiting(thrown, retryAtMs);
    if ((await sleepAwake(clock, verdict.delayMs, task.signal)) === 'over')
      withoutProgressMs += verdict.delayMs;
  };

  try {
    for (;;) {
      try {
        const row = await cache.getDownload(snapshotId);
        if (row.nextCursor !== null) await walkSlice(row);
        else {
          if (hasBrokenEnd(row.snapshot)) return 'incomplete';
          if (row.sliceNumber + 1 >= row.sliceCount) {
            await compareWithForecast(cache, row);
            const { snapshot } = await cache.getDownload(snapshotId);
            return listShortcomings(snapshot).length === 0 ? 'complete' : 'incomplete';
          }
          await cache.beginNextSlice({ snapshotId });
          run.onSlice();
        }
      } catch (error) {
        if (error instanceof BetterCut) {
          const { sliceDays } = error;
          const { snapshot, askedStart } = await cache.getDownload(snapshotId);
          const slices = cutDownload(snapshot.period, { sliceDays, askedStart });
          await cache.cutDownload({ snapshotId, sliceDays, slices });
        } else await recoverFrom(error);
      }
    }
  } finally {
    ahead.stop();
  }
}

/** Remarks of records that were announced for the period and are not among those that are kept. */
const ANNOUNCED_TOO = ['record-unreadable', 'before-period', 'after-period'];

/**
 * Returns how many records the service announces for the whole period of a download that is fetched in slices: requested
 * once, before the first of them, and kept; null where it is not known. Throws as `askTotal` does.
 */
async function readForecast(
  cache: Pick<Cache, 'keepForecast'>,
  client: Pick<ReportingClient, 'fetchPage'>,
  row: DownloadRow,
  signal: AbortSignal,
): Promise<number | null> {
  const { id, report, period, pageCount } = row.snapshot;
  if (row.sliceCount === 1 || pageCount > 0) return row.forecastTotal;
  const whole = { ...period, startDate: row.askedStart === '' ? period.startDate : row.askedStart };
  const { totalDocument } = await askTotal(client, report as DetailKind, whole, signal);
  if (totalDocument !== null) await cache.keepForecast({ snapshotId: id, total: totalDocument });
  return totalDocument;
}

/** Remarks on a download where other records came in its slices than were announced for the whole period. */
async function compareWithForecast(
  cache: Pick<Cache, 'addDownloadRemark'>,
  { snapshot, forecastTotal }: DownloadRow,
): Promise<void> {
  if (forecastTotal === null || forecastTotal === 0) return;
  const others = snapshot.remarks.filter(({ code }) => ANNOUNCED_TOO.includes(code));
  const received = others.reduce((sum, { count = 0 }) => sum + count, snapshot.recordCount);
  if (received === forecastTotal) return;
  const remark = received < forecastTotal ? 'fewer-than-forecast' : 'more-than-forecast';
  await cache.addDownloadRemark({
    snapshotId: snapshot.id,
    remark,
    detail: `${received} / ${forecastTotal}`,
  });
}
