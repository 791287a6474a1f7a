import { useThrottleFn } from '@vueuse/core';
import {
  computed,
  getCurrentScope,
  onBeforeUnmount,
  reactive,
  shallowRef,
  watch,
  type ShallowUnwrapRef,
} from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { PeriodScope, RecordScope } from '../../../src-main/common/model/records/record-scope.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { useClock } from '../../composables/use-clock.ts';
import { useDownloadStart } from '../../composables/use-download-start.ts';
import { usePeriodCoverage } from '../../period/use-period-coverage.ts';
import { useRecordFilter } from '../../filters/use-record-filter.ts';
import type { ErrorLike } from '../../messages/error-like.ts';
import { useClockStore } from '../../stores/window/clock.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { usePeriodStore } from '../../stores/window/period.ts';
import { isTouching, listUsable } from '../../period/cached-snapshots.ts';
import { useRecordsStore } from '../../stores/records/records.ts';
import { useSnapshotsStore } from '../../stores/cache/snapshots.ts';
import { useTasksStore } from '../../stores/window/tasks.ts';
import { useRecordOrder } from './address/use-record-order.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { toZoomedSpan } from './use-time-zoom.ts';

const REOPEN_INTERVAL_MS = 1000;
const CLOCK_INTERVAL_MS = 15_000;

/** What `useDetail` returns, as a reactive object. */
export type Detail = ShallowUnwrapRef<ReturnType<typeof useDetail>>;

/**
 * The state of a Detail screen: everything cached of the period, or one snapshot that was opened by itself, and the
 * download that fills it.
 */
export function useDetail(readDirection: () => Direction) {
  const route = useRoute();
  const router = useRouter();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const records = useRecordsStore();
  const tasks = useTasksStore();
  const nowMs = useClock(CLOCK_INTERVAL_MS);

  const { isStarting, error: startError, start, clearError } = useDownloadStart();
  const { filter, setFilter } = useRecordFilter();
  const { order, fault: orderFault, setOrder } = useRecordOrder(readDirection);

  const connection = computed(() => connections.active);
  const zone = computed(() => clock.zone);
  const report = computed(() => `${readDirection()}-detail` as const);
  /** A period that moves with the clock stands still until something new is there to show. */
  const asOfMs = shallowRef(Date.now());
  const period = computed(() =>
    connection.value === null ? null : periods.toPeriod(asOfMs.value, connection.value),
  );
  const own = computed(() =>
    (snapshots.snapshots ?? []).filter(
      (snapshot) => snapshot.connectionId === connection.value?.id && snapshot.report === report.value,
    ),
  );
  const usable = computed(() =>
    connection.value === null ? [] : listUsable(own.value, connection.value.id, report.value),
  );
  const pinnedId = computed(() => {
    const given = Number(route.params['snapshotId']);
    return Number.isInteger(given) && given > 0 ? given : null;
  });
  /** The snapshot that was opened by itself; null where the period is shown. */
  const snapshot = computed<Snapshot | null>(() =>
    pinnedId.value === null ? null : (usable.value.find(({ id }) => id === pinnedId.value) ?? null),
  );
  /** What of the period is cached, the newest first. */
  const parts = computed(() => {
    const wanted = period.value;
    if (pinnedId.value !== null) return snapshot.value === null ? [] : [snapshot.value];
    return wanted === null ? [] : usable.value.filter((one) => isTouching(one.period, wanted));
  });
  const periodScope = computed<PeriodScope | null>(() => {
    if (pinnedId.value !== null || connection.value === null || period.value === null) return null;
    const { fromMs, toMs } = period.value;
    // Periods are picked with their last second.
    return { connectionId: connection.value.id, report: report.value, fromMs, toMs: toMs + 1000 };
  });
  const scope = computed<RecordScope | null>(() =>
    snapshot.value === null ? periodScope.value : { snapshotId: snapshot.value.id },
  );
  const coverage = usePeriodCoverage(
    () => periodScope.value,
    () => (period.value?.toMs ?? 0) + 1000 > asOfMs.value,
  );
  /** Why the newest download of the period failed without leaving anything that could be shown. */
  const emptyFailure = computed<ErrorLike | null>(() => {
    const wanted = period.value;
    if (wanted === null || parts.value.length > 0) return null;
    const newest = own.value
      .filter((one) => isTouching(one.period, wanted))
      .reduce<Snapshot | null>((best, one) => (best === null || one.id > best.id ? one : best), null);
    const code = newest?.failure ?? null;
    return code === null ? null : { code };
  });
  const downloadError = computed(() => startError.value ?? emptyFailure.value);
  const task = computed(
    () =>
      tasks.running.find(
        ({ kind, snapshotId }) => kind === 'download' && parts.value.some(({ id }) => id === snapshotId),
      ) ?? null,
  );

  /** Shows one snapshot by itself; null goes back to everything cached of the period. */
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

  /** Opens the records anew, of a period that moves with the clock as of now. */
  function reopen(): void {
    const before = question.value;
    asOfMs.value = Date.now();
    // A period that has moved on opens by itself.
    if (question.value === before) open();
  }

  function open(): void {
    const chosen = snapshot.value?.period ?? period.value;
    if (scope.value === null || chosen === null || parts.value.length === 0) {
      records.close();
      return;
    }
    void records.open({
      scope: scope.value,
      filter: filter.value,
      order: order.value,
      span: toZoomedSpan(filter.value, { fromMs: chosen.fromMs, toMs: chosen.toMs + 1000 }),
      zone: zone.value,
      subject: JSON.stringify([connection.value?.id, report.value, pinnedId.value ?? periods.selection]),
    });
  }
  const effects = getCurrentScope();
  const reopenSoon = useThrottleFn(
    () => {
      // A view that opens after the screen is gone would stay open.
      if (effects?.active === true) reopen();
    },
    REOPEN_INTERVAL_MS,
    true,
  );

  const question = computed(() =>
    JSON.stringify([scope.value, parts.value.length > 0, filter.value, order.value, zone.value]),
  );
  watch(question, open, { immediate: true });
  watch(
    () =>
      parts.value
        .map(
          ({ id, recordCount, state, reading, period: { fromMs } }) =>
            `${id} ${recordCount} ${state} ${reading} ${fromMs}`,
        )
        .join(),
    () => void reopenSoon(),
  );
  watch(
    () => periods.selection,
    () => {
      asOfMs.value = Date.now();
    },
  );
  watch(report, clearError);
  watch(
    () => connection.value?.id,
    (id) => {
      const pinned = snapshots.snapshots?.find((one) => one.id === pinnedId.value);
      // A snapshot of the connection that was left would leave the screen empty.
      if (pinned !== undefined && pinned.connectionId !== id) pin(null);
    },
  );

  onBeforeUnmount(records.close);

  return {
    isLoaded: computed(() => snapshots.snapshots !== null),
    connection,
    zone,
    period,
    asOfMs,
    usable,
    parts,
    snapshot,
    scope,
    periodScope,
    coverage: reactive(coverage),
    filter,
    order,
    task,
    isStarting,
    downloadError,
    nowMs,
    setFilter,
    pin,
    startDownload,
    sort: setOrder,
    orderFault,
    reopen,
  };
}
