import { computed, reactive, type ShallowUnwrapRef, watch } from 'vue';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { useAddressChoice } from '../../address/use-address-choice.ts';
import { useClock } from '../../composables/use-clock.ts';
import { useRecordFilter } from '../../filters/use-record-filter.ts';
import { usePeriodCoverage } from '../../period/use-period-coverage.ts';
import { useSnapshotsStore } from '../../stores/cache/snapshots.ts';
import { useClockStore } from '../../stores/window/clock.ts';
import { GROUPINGS, type Grouping } from './errors/groupings.ts';
import { useDetailScope, type DetailScope } from './use-detail-scope.ts';
import { useRecordView } from './use-record-view.ts';
import { useI18n } from 'vue-i18n';
import { useRoute, useRouter } from 'vue-router';
import type { RecordOrder } from '../../../src-main/common/model/records/record.ts';
import { LANGUAGES } from '../../../src-main/common/model/settings/language.ts';
import { toQueryText, withQueryText } from '../../address/query-text.ts';
import { fromOrderText, toOrderText } from './address/order-query.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { useDownloadStart } from '../../composables/use-download-start.ts';
import type { ErrorLike } from '../../messages/error-like.ts';
import { isTouching } from '../../period/cached-snapshots.ts';
import { usePeriodStore } from '../../stores/window/period.ts';
import { useTasksStore } from '../../stores/window/tasks.ts';

/** The downloads of a Detail screen: the one that runs, the start of another, and why the last one brought nothing. */
function useDetailDownload({ connection, report, period, parts, pinnedId, pin }: DetailScope) {
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

/** Columns of texts, which are in the order of the window's language. */
const TEXTS: ReadonlySet<RecordOrder[number]['column']> = new Set(['client', 'origin', 'error', 'actionId']);

/** The order of the table, which the address carries; back and forward undo and redo its changes. */
function useRecordOrder(readDirection: () => Direction) {
  const route = useRoute();
  const router = useRouter();
  const { locale } = useI18n();
  const text = computed(() => toQueryText(route.query, 'order'));
  const read = computed(() => fromOrderText(text.value, readDirection()));
  const language = computed(() => LANGUAGES.find((known) => known === locale.value) ?? 'en');
  const order = computed(() =>
    read.value.order.map((key) => (TEXTS.has(key.column) ? { ...key, language: language.value } : key)),
  );

  function setOrder(next: RecordOrder): void {
    const query = withQueryText(route.query, 'order', toOrderText(next));
    void router.push({ params: route.params, query });
  }

  return {
    order,
    fault: computed(() => read.value.fault),
    setOrder,
  };
}

const CLOCK_INTERVAL_MS = 15_000;

/** What `useDetail` returns, as a reactive object. */
export type Detail = ShallowUnwrapRef<ReturnType<typeof useDetail>>;

/** The state of a Detail screen: which records it shows, the view that is open of them, and what fetches more. */
export function useDetail(readDirection: () => Direction) {
  const clock = useClockStore();
  const snapshots = useSnapshotsStore();
  const nowMs = useClock(CLOCK_INTERVAL_MS);
  const { filter, setFilter } = useRecordFilter();
  const { order, fault: orderFault, setOrder } = useRecordOrder(readDirection);

  const detailScope = useDetailScope(readDirection);
  const { connection, period, asOfMs, usable, parts, snapshot, scope, periodScope, pin } = detailScope;
  const coverage = usePeriodCoverage(
    () => periodScope.value,
    () => (period.value?.toMs ?? 0) + 1000 > asOfMs.value,
  );
  const { task, isStarting, downloadError, startDownload } = useDetailDownload(detailScope);
  const { reopen, isBehind } = useRecordView(
    detailScope,
    () => filter.value,
    () => order.value,
  );

  const grouping = useAddressChoice('by', GROUPINGS);

  return {
    isLoaded: computed(() => snapshots.snapshots !== null),
    connection,
    zone: computed(() => clock.zone),
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
    /** What the tab of errors groups them by. */
    grouping: computed(() => grouping.value ?? 'errorFamily'),
    group: (by: Grouping) => (grouping.value = by),
    orderFault,
    reopen,
    isBehind,
  };
}
