import { ref, type Ref } from 'vue';
import type { Connection } from '../../src-main/common/model/connection.ts';
import type { Period } from '../../src-main/common/model/period.ts';
import type { ReportKind } from '../../src-main/common/reporting/reports.ts';
import { toErrorLike } from '../messages/error-like.ts';
import { useErrorSpeaker } from '../messages/error-words.ts';
import { toPeriod } from '../period/period-selection.ts';
import { useSnapshotsStore } from '../stores/snapshots.ts';

export interface Downloads {
  readonly isStarting: Readonly<Ref<boolean>>;
  /** Words for the first report that could not be started; the others were. */
  readonly failure: Readonly<Ref<string | null>>;
  /** Starts every report; true when all of them were. */
  start(
    connectionId: string,
    reports: readonly ReportKind[],
    period: Period,
    sliceDays?: number | null,
  ): Promise<boolean>;
  /** Starts both detail reports of the last 24 hours. */
  downloadLastDay(connection: Connection): Promise<boolean>;
}

/** Starting downloads from a screen, with words for what went wrong. */
export function useDownloads(): Downloads {
  const snapshots = useSnapshotsStore();
  const say = useErrorSpeaker();
  const isStarting = ref(false);
  const failure = ref<string | null>(null);

  async function start(
    connectionId: string,
    reports: readonly ReportKind[],
    period: Period,
    sliceDays: number | null = null,
  ): Promise<boolean> {
    isStarting.value = true;
    failure.value = null;
    const results = await Promise.allSettled(
      reports.map((report) => snapshots.download(connectionId, report, period, sliceDays)),
    );
    isStarting.value = false;
    const failed = results.find((result) => result.status === 'rejected');
    if (failed === undefined) return true;
    const words = say(toErrorLike(failed.reason));
    failure.value = `${words.title}. ${words.action}`;
    return false;
  }

  async function downloadLastDay(connection: Connection): Promise<boolean> {
    const zone = connection.serviceZone;
    const period = toPeriod({ kind: 'preset', preset: 'last-24-hours' }, Date.now(), zone, zone);
    return start(connection.id, ['inbound-detail', 'outbound-detail'], period);
  }

  return { isStarting, failure, start, downloadLastDay };
}
