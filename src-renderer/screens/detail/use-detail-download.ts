import { computed, watch } from 'vue';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { useDownloadStart } from '../../composables/use-download-start.ts';
import type { ErrorLike } from '../../messages/error-like.ts';
import { isTouching } from '../../period/cached-snapshots.ts';
import { useSnapshotsStore } from '../../stores/cache/snapshots.ts';
import { usePeriodStore } from '../../stores/window/period.ts';
import { useTasksStore } from '../../stores/window/tasks.ts';
import type { DetailScope } from './use-detail-scope.ts';

/** The downloads of a Detail screen: the one that runs, the start of another, and why the last one brought nothing. */
export function useDetailDownload({ connection, report, period, parts, pinnedId, pin }: DetailScope) {
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const tasks = useTasksStore();
  const { isStarting, error: startError, start, clearError } = useDownloadStart();

  const task = computed(
    () =>
      tasks.running.find(
        ({ kind, snapshotId }) => kind === 'download' && parts.value.some(({ id }) => id === snapshotId),
      ) ?? null,
  );
  /** Why the newest download of the period failed without leaving anything that could be shown. */
  const emptyFailure = computed<ErrorLike | null>(() => {
    const wanted = period.value;
    if (wanted === null || parts.value.length > 0) return null;
    const newest = (snapshots.snapshots ?? [])
      .filter((one) => one.connectionId === connection.value?.id && one.report === report.value)
      .filter((one) => isTouching(one.period, wanted))
      .reduce<Snapshot | null>((best, one) => (best === null || one.id > best.id ? one : best), null);
    const code = newest?.failure ?? null;
    return code === null ? null : { code };
  });

  async function startDownload(): Promise<void> {
    if (connection.value === null) return;
    const wanted = periods.toPeriod(Date.now(), connection.value);
    const request = { connectionId: connection.value.id, report: report.value, period: wanted };
    // The download fills a snapshot of its own.
    if ((await start([request])) && pinnedId.value !== null) pin(null);
  }

  watch(report, clearError);

  return {
    task,
    isStarting,
    downloadError: computed(() => startError.value ?? emptyFailure.value),
    startDownload,
  };
}
