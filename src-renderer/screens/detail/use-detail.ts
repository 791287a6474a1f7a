import { isTimeOutside, useRecordFilter } from '../../filters/filter.ts';
import {
  computed,
  reactive,
  type ShallowUnwrapRef,
  watch,
  getCurrentScope,
  onBeforeUnmount,
  type ComputedRef,
  shallowRef,
} from 'vue';
import { isBodyField } from '../../../src-main/common/model/records/body-path.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { toQueryText, useAddressChoice, withQueryText } from '../../address/window-address.ts';
import { useScreenClock } from '../../composables/surroundings.ts';
import { usePeriodCoverage, isTouching, listUsable } from '../../period/period-coverage.ts';
import { useSnapshotsStore } from '../../stores/cache/downloads.ts';
import { useClockStore, usePeriodStore } from '../../stores/window/times.ts';
import { GROUPINGS, type Grouping } from './errors/families.ts';
import { useI18n } from 'vue-i18n';
import { useRoute, useRouter } from 'vue-router';
import { toFieldRow } from '../../../src-main/common/model/records/record-fields.ts';
import type { RecordOrder } from '../../../src-main/common/model/records/record.ts';
import { LANGUAGES } from '../../../src-main/common/model/settings/language.ts';
import { fromOrderText, toOrderText, toZoomedSpan } from './detail-address.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { useDownloadStart } from '../../composables/use-download-start.ts';
import type { ErrorLike } from '../../messages/error-like.ts';
import { useTasksStore } from '../../stores/window/app.ts';
import { useThrottleFn } from '@vueuse/core';
import type {
  PeriodScope,
  RecordFilter,
  RecordScope,
} from '../../../src-main/common/model/records/record-filter.ts';
import { useRecordsStore } from '../../stores/records/records.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';

type DetailScope = ReturnType<typeof useDetailScope>;

const REOPEN_INTERVAL_MS = 1000;

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

/** True for a column of texts, which are in the order of the window's language. */
function isText(column: RecordOrder[number]['column']): boolean {
  return isBodyField(column) || (column !== 'received' && toFieldRow(column).query.kind === 'text');
}

/** The order of the table, which the address carries; back and forward undo and redo its changes. */
function useRecordOrder(readDirection: () => Direction) {
  const route = useRoute();
  const router = useRouter();
  const { locale } = useI18n();
  const text = computed(() => toQueryText(route.query, 'order'));
  const read = computed(() => fromOrderText(text.value, readDirection()));
  const language = computed(() => LANGUAGES.find((known) => known === locale.value) ?? 'en');
  const order = computed(() =>
    read.value.order.map((key) => (isText(key.column) ? { ...key, language: language.value } : key)),
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
  const nowMs = useScreenClock(CLOCK_INTERVAL_MS);
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

/**
 * Keeps the view of the records open that a Detail screen shows: another one where something else is asked for, and anew
 * while records arrive.
 */
function useRecordView(
  { connection, report, period, pinnedId, snapshot, parts, scope, moveOn }: DetailScope,
  readFilter: () => RecordFilter,
  readOrder: () => RecordOrder,
): {
  /** Opens the records anew, of a period that moves with the clock as of now. */
  reopen(): void;
  /** Records are stored that the open view was opened too early for. */
  readonly isBehind: ComputedRef<boolean>;
} {
  const clock = useClockStore();
  const periods = usePeriodStore();
  const records = useRecordsStore();

  const question = computed(() =>
    JSON.stringify([scope.value, parts.value.length > 0, readFilter(), readOrder(), clock.zone]),
  );

  const stored = computed(() =>
    parts.value
      .map(
        ({ id, recordCount, state, reading, period: { fromMs } }) =>
          `${id} ${recordCount} ${state} ${reading} ${fromMs}`,
      )
      .join(),
  );

  function open(): void {
    const chosen = snapshot.value?.period ?? period.value;
    if (scope.value === null || chosen === null || parts.value.length === 0) {
      records.close();
      return;
    }
    const whole = { fromMs: chosen.fromMs, toMs: chosen.toMs + 1000 };
    void records.open({
      scope: scope.value,
      filter: readFilter(),
      order: readOrder(),
      span: toZoomedSpan(readFilter(), whole),
      whole,
      zone: clock.zone,
      stored: stored.value,
      subject: JSON.stringify([connection.value?.id, report.value, pinnedId.value ?? periods.selection]),
    });
  }

  function reopen(): void {
    const before = question.value;
    moveOn();
    // A period that has moved on opens by itself.
    if (question.value === before) open();
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

  watch(question, open, { immediate: true });
  watch(stored, () => void reopenSoon());
  onBeforeUnmount(records.close);

  return { reopen, isBehind: computed(() => records.view !== null && records.view.stored !== stored.value) };
}

/** The snapshot that was opened by itself, which the address carries. */
function usePinnedSnapshot(readReport: () => string) {
  const route = useRoute();
  const router = useRouter();

  /** Null where the period is shown. */
  const pinnedId = computed(() => {
    const given = Number(route.params['snapshotId']);
    return Number.isInteger(given) && given > 0 ? given : null;
  });

  /** Shows one snapshot by itself; null goes back to everything cached of the period. */
  function pin(snapshotId: number | null): void {
    const params = { snapshotId: snapshotId === null ? null : String(snapshotId) };
    void router.push({ name: readReport(), params, query: route.query });
  }

  return { pinnedId, pin };
}

/** Which records a Detail screen shows: everything cached of the period, or one snapshot that was opened by itself. */
function useDetailScope(readDirection: () => Direction) {
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();

  const connection = computed(() => connections.active);
  const report = computed(() => `${readDirection()}-detail` as const);
  const { pinnedId, pin } = usePinnedSnapshot(() => report.value);
  /** A period that moves with the clock stands still until something new is there to show. */
  const asOfMs = shallowRef(Date.now());
  const period = computed(() =>
    connection.value === null ? null : periods.toPeriod(asOfMs.value, connection.value),
  );
  /** The snapshots that hold anything to show, of any period. */
  const usable = computed(() =>
    connection.value === null ? [] : listUsable(snapshots.snapshots ?? [], connection.value.id, report.value),
  );
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

  /** Lets a period that moves with the clock end now. */
  function moveOn(): void {
    asOfMs.value = Date.now();
  }

  watch(() => periods.selection, moveOn);

  return {
    connection,
    report,
    period,
    asOfMs,
    usable,
    pinnedId,
    snapshot,
    parts,
    periodScope,
    scope,
    pin,
    moveOn,
  };
}

/** Returns why there are no records to show, if so, and whether the first ones are on their way. */
export function useShownState(readDetail: () => Detail) {
  const records = useRecordsStore();
  const emptyKind = computed(() => {
    const { isLoaded, parts, task, filter, snapshot, period } = readDetail();
    if (!isLoaded) return null;
    if (parts.length === 0) return 'none';
    if (records.view === null || records.view.rowCount > 0) return null;
    // That the previous filter found nothing says nothing of this one.
    if (records.isFiltering) return null;
    if (task !== null && records.view.totalCount === 0) return null;
    // Nothing is denied that the view was opened too early for.
    if (readDetail().isBehind) return 'reading';
    if (filter.conditions.length === 0) return 'empty';
    const span = snapshot?.period ?? period;
    return span !== null && isTimeOutside(filter, { fromMs: span.fromMs, toMs: span.toMs + 1000 })
      ? 'outside'
      : 'filtered';
  });
  const isWaiting = computed(
    () => records.view === null || (records.isFiltering && records.view.rowCount === 0),
  );
  /** Records that are stored, and that the view doesn't have yet. */
  const readingCount = computed(() => {
    const { coverage, parts } = readDetail();
    return coverage.unreadyRecords > 0
      ? coverage.unreadyRecords
      : parts.reduce((sum, { recordCount }) => sum + recordCount, 0);
  });
  return { emptyKind, isWaiting, readingCount };
}
