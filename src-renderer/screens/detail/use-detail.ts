import { computed, onBeforeUnmount, shallowRef, watch } from 'vue';
import { useRoute, useRouter, type LocationQuery } from 'vue-router';
import type { RecordFilter, RecordOrder } from '../../../src-main/common/model/record.ts';
import type { Snapshot } from '../../../src-main/common/model/snapshot.ts';
import { useBackend } from '../../backend/backend.ts';
import { useClock } from '../../composables/use-clock.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import { useConnectionsStore } from '../../stores/connections.ts';
import { usePeriodStore } from '../../stores/period.ts';
import { listUsable, measureOverlap, pickSnapshot } from '../../period/pick-snapshot.ts';
import { DEFAULT_ORDER, useRecordsStore } from '../../stores/records.ts';
import { useSnapshotsStore } from '../../stores/snapshots.ts';
import { useTasksStore } from '../../stores/tasks.ts';
import { throttle } from '../../stores/throttle.ts';
import { changeFilter, fromQuery, toQuery } from '../../composables/filter-query.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';

const REOPEN_INTERVAL_MS = 1000;
const CLOCK_INTERVAL_MS = 15_000;

/** What a Detail screen shows: which snapshot, which records of it, and the download that fills it. */
export function useDetail(readDirection: () => Direction) {
  const backend = useBackend();
  const route = useRoute();
  const router = useRouter();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const records = useRecordsStore();
  const tasks = useTasksStore();
  const nowMs = useClock(CLOCK_INTERVAL_MS);

  const order = shallowRef<RecordOrder>(DEFAULT_ORDER);
  const startError = shallowRef<ErrorLike | null>(null);
  const starting = shallowRef(false);

  const connection = computed(() => connections.active);
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
  /** Why nothing came of the newest download of the period: it leaves no snapshot that could be shown. */
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
  const queryText = computed(() => JSON.stringify(toQuery(fromQuery(route.query))));
  const filter = computed<RecordFilter>(() => fromQuery(JSON.parse(queryText.value) as LocationQuery));
  const task = computed(
    () =>
      tasks.running.find(
        (running) => running.kind === 'download' && running.snapshotId === snapshot.value?.id,
      ) ?? null,
  );

  function replaceFilter(next: RecordFilter): void {
    void router.replace({ params: route.params, query: toQuery(next) });
  }

  function setFilter(change: { [Key in keyof RecordFilter]?: RecordFilter[Key] | undefined }): void {
    replaceFilter(changeFilter(filter.value, change));
  }

  /** Shows another cached snapshot; null goes back to the newest of the chosen period. */
  function pin(snapshotId: number | null): void {
    const params = { snapshotId: snapshotId === null ? '' : String(snapshotId) };
    void router.push({ name: report.value, params, query: route.query });
  }

  async function startDownload(): Promise<void> {
    if (connection.value === null) return;
    starting.value = true;
    startError.value = null;
    try {
      const period = periods.toPeriod(Date.now(), connection.value);
      const started = await backend.call('downloads/start', {
        connectionId: connection.value.id,
        report: report.value,
        period,
      });
      if (pinnedId.value !== null && pinnedId.value !== started.snapshotId) pin(null);
    } catch (thrown) {
      startError.value = toErrorLike(thrown);
    } finally {
      starting.value = false;
    }
  }

  function reopen(): void {
    if (snapshot.value !== null) void records.open(snapshot.value.id, filter.value, order.value);
    else records.close();
  }
  const reopenSoon = throttle(reopen, REOPEN_INTERVAL_MS);

  watch([() => snapshot.value?.id, filter, order], reopen, { immediate: true });
  watch(
    () => snapshot.value?.recordCount,
    (count, before) => {
      if (count !== undefined && before !== undefined) reopenSoon();
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
    startError.value = null;
  });

  onBeforeUnmount(() => {
    reopenSoon.cancel();
    records.close();
  });

  return {
    isLoaded: computed(() => snapshots.snapshots !== null),
    connection,
    period,
    usable,
    snapshot,
    pinnedId,
    filter,
    order,
    task,
    starting,
    downloadError,
    nowMs,
    replaceFilter,
    setFilter,
    pin,
    startDownload,
    reopen,
  };
}
