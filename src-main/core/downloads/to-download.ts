import type { ErrorInfo } from '../../common/contract/errors.ts';
import type { Download } from '../../common/model/cache/download.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import type { DownloadRow } from '../cache/read/download-rows.ts';
import { hasBrokenEnd } from './walk-report.ts';

/** A running download that waits to try again. */
export interface Waiting {
  readonly failure: ErrorInfo;
  readonly retryAtMs: number;
}

/** A stored download as the window sees it. */
export function toDownload(row: DownloadRow, taskId: string | null, waiting: Waiting | null): Download {
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
