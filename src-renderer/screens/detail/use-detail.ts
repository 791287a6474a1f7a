import { computed, reactive, type ShallowUnwrapRef } from 'vue';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { useAddressChoice } from '../../address/use-address-choice.ts';
import { useClock } from '../../composables/use-clock.ts';
import { useRecordFilter } from '../../filters/use-record-filter.ts';
import { usePeriodCoverage } from '../../period/use-period-coverage.ts';
import { useSnapshotsStore } from '../../stores/cache/snapshots.ts';
import { useClockStore } from '../../stores/window/clock.ts';
import { useRecordOrder } from './address/use-record-order.ts';
import { GROUPINGS, type Grouping } from './errors/groupings.ts';
import { useDetailDownload } from './use-detail-download.ts';
import { useDetailScope } from './use-detail-scope.ts';
import { useRecordView } from './use-record-view.ts';

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
