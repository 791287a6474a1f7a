import { useThrottleFn } from '@vueuse/core';
import { computed, getCurrentScope, onBeforeUnmount, shallowRef, watch, type ShallowUnwrapRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { RecordOrder } from '../../../src-main/common/model/record.ts';
import type { Snapshot } from '../../../src-main/common/model/snapshot.ts';
import { useClock } from '../../composables/use-clock.ts';
import { useDownloadStart } from '../../composables/use-download-start.ts';
import { useRecordFilter } from '../../composables/use-record-filter.ts';
import type { ErrorLike } from '../../messages/error-like.ts';
import { useConnectionsStore } from '../../stores/connections.ts';
import { usePeriodStore } from '../../stores/period.ts';
import { listUsable, measureOverlap, pickSnapshot } from '../../period/pick-snapshot.ts';
import { DEFAULT_ORDER, useRecordsStore } from '../../stores/records.ts';
import { useSnapshotsStore } from '../../stores/snapshots.ts';
import { useTasksStore } from '../../stores/tasks.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';

const REOPEN_INTERVAL_MS = 1000;
const CLOCK_INTERVAL_MS = 15_000;

/** What `useDetail` returns, as a reactive object. */
export type Detail = ShallowUnwrapRef<ReturnType<typeof useDetail>>;

/** The state of a Detail screen: its snapshot, the records of it, and the download that fills it. */
export function useDetail(readDirection: () => Direction) {
  const route = useRoute();
  const router = useRouter();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const records = useRecordsStore();
  const tasks = useTasksStore();
  const nowMs = useClock(CLOCK_INTERVAL_MS);

  const order = shallowRef<RecordOrder>(DEFAULT_ORDER);
  const { isStarting, error: startError, start, clearError } = useDownloadStart();
  const { filter, setFilter, replaceFilter } = useRecordFilter();

  const connection = computed(() => connections.active);
  const zone = computed(() => connection.value?.serviceZone ?? 'UTC');
  const report = computed(() => `${readDirection()}-detail` as const);
  const period = computed(() =>
    connection.value === null ? null : periods.toPeriod(nowMs.value, connection.value),
  );
  const usable = computed(() =>
    connection.value === null ? [] : listUsable(snapshots.snapshots ?? [], connection.value.id, report.value),
  );
  const pinnedId = computed(() => {
    const given = Number(route.params['snapshotId']);
    return Number.isInteger(given) && given > 0 ? given : null;
  });
  const snapshot = computed<Snapshot | null>(() => {
    if (pinnedId.value !== null) return usable.value.find(({ id }) => id === pinnedId.value) ?? null;
    return period.value === null ? null : pickSnapshot(usable.value, period.value);
  });
  /** Why the newest download of the period failed without leaving a snapshot that could be shown. */
  const emptyFailure = computed<ErrorLike | null>(() => {
    const wanted = period.value;
    if (wanted === null || snapshot.value !== null) return null;
    const newest = (snapshots.snapshots ?? [])
      .filter(({ connectionId, report: of }) => connectionId === connection.value?.id && of === report.value)
      .filter((one) => measureOverlap(one.period, wanted) >= 0.5)
      .reduce<Snapshot | null>((best, one) => (best === null || one.id > best.id ? one : best), null);
    const code = newest?.failure ?? null;
    return code === null ? null : { code };
  });
  const downloadError = computed(() => startError.value ?? emptyFailure.value);
  const task = computed(
    () =>
      tasks.running.find(
        (running) => running.kind === 'download' && running.snapshotId === snapshot.value?.id,
      ) ?? null,
  );

  /** Shows another cached snapshot; null goes back to the newest of the chosen period. */
  function pin(snapshotId: number | null): void {
    const params = { snapshotId: snapshotId === null ? null : String(snapshotId) };
    void router.push({ name: report.value, params, query: route.query });
  }

  async function startDownload(): Promise<void> {
    if (connection.value === null) return;
    const wanted = periods.toPeriod(Date.now(), connection.value);
    const request = { connectionId: connection.value.id, report: report.value, period: wanted };
    // The download fills a snapshot of its own.
    if ((await start([request])) && pinnedId.value !== null) pin(null);
  }

  function sort(next: RecordOrder): void {
    order.value = next;
  }

  function reopen(): void {
    if (snapshot.value !== null) void records.open(snapshot.value.id, filter.value, order.value);
    else records.close();
  }
  const scope = getCurrentScope();
  const reopenSoon = useThrottleFn(
    () => {
      // A view that opens after the screen is gone would stay open.
      if (scope?.active === true) reopen();
    },
    REOPEN_INTERVAL_MS,
    true,
  );

  // A shallow ref among the sources would fire with every change of the snapshot, so its value is given.
  watch([() => snapshot.value?.id, filter, () => order.value], reopen, { immediate: true });
  watch(
    () => snapshot.value?.recordCount,
    (count, before) => {
      if (count !== undefined && before !== undefined) void reopenSoon();
    },
  );
  watch(
    () => periods.selection,
    () => {
      if (pinnedId.value !== null) pin(null);
    },
  );
  watch(report, () => {
    order.value = DEFAULT_ORDER;
    clearError();
  });

  onBeforeUnmount(records.close);

  return {
    isLoaded: computed(() => snapshots.snapshots !== null),
    connection,
    zone,
    period,
    usable,
    snapshot,
    filter,
    order,
    task,
    isStarting,
    downloadError,
    nowMs,
    replaceFilter,
    setFilter,
    pin,
    startDownload,
    sort,
    reopen,
  };
}
