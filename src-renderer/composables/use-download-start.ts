import type { Ref } from 'vue';
import type { Connection } from '../../src-main/common/model/connections/connection.ts';
import type { ErrorLike } from '../messages/error-like.ts';
import { toPeriod } from '../period/period-selection.ts';
import { useDownloadsStore, type DownloadRequest } from '../stores/cache/downloads.ts';
import { useAttempt } from './use-query.ts';

interface DownloadStart {
  readonly isStarting: Readonly<Ref<boolean>>;
  /** Why the first report that failed to start did; the others were started all the same. */
  readonly error: Readonly<Ref<ErrorLike | null>>;
  /** Starts every report; resolves to true when all of them were. */
  start(requests: readonly DownloadRequest[]): Promise<boolean>;
  /** Starts both detail reports of the last 24 hours. */
  startLastDay(connection: Connection): Promise<boolean>;
  clearError(): void;
}

/** Starts downloads from a screen. */
export function useDownloadStart(): DownloadStart {
  const downloads = useDownloadsStore();
  const { isRunning, error, attempt, clearError } = useAttempt();

  function start(requests: readonly DownloadRequest[]): Promise<boolean> {
    return attempt(async () => {
      const started = await Promise.allSettled(requests.map(downloads.start));
      const failed = started.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    });
  }

  function startLastDay(connection: Connection): Promise<boolean> {
    const preset = { kind: 'preset', preset: 'last-24-hours' } as const;
    const { id: connectionId, serviceZone } = connection;
    const period = toPeriod(preset, Date.now(), serviceZone, serviceZone);
    const reports = ['inbound-detail', 'outbound-detail'] as const;
    return start(reports.map((report) => ({ connectionId, report, period })));
  }

  return { isStarting: isRunning, error, start, startLastDay, clearError };
}
