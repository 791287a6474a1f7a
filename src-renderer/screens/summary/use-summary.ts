import { computed, onBeforeUnmount, onMounted, reactive, shallowRef, watch } from 'vue';
import { usePeriodCoverage } from '../../period/use-period-coverage.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-scope.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { useClock } from '../../composables/use-clock.ts';
import { useClockStore } from '../../stores/window/clock.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { usePeriodStore } from '../../stores/window/period.ts';
import { isReadable, isSamePeriod, isTouching, listUsable } from '../../period/cached-snapshots.ts';
import { toPeriodEnds } from '../../period/period-selection.ts';
import { useSnapshotsStore } from '../../stores/cache/snapshots.ts';
import { useSummariesStore } from '../../stores/analysis/summaries.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { useReconciliation } from './reconcile/use-reconciliation.ts';
import { toGroupDifferences } from './summary-differences.ts';

export type Source = 'reported' | 'computed';

const CLOCK_INTERVAL_MS = 15_000;
/** A cached summary younger than this is shown without fetching it again. */
const FRESH_MS = 60_000;

/** The state of a Summary screen: both sources of the chosen period, and whether they agree. */
export function useSummary(readDirection: () => Direction) {
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const summaries = useSummariesStore();
  const nowMs = useClock(CLOCK_INTERVAL_MS);
  const chosenSource = shallowRef<Source | null>(null);
  const fetched = shallowRef<Snapshot | null>(null);

  const connection = computed(() => connections.active);
  const zone = computed(() => clock.zone);
  /** A period that moves with the clock stands still until the summary is fetched again. */
  const asOfMs = shallowRef(Date.now());
  const period = computed(() =>
    connection.value === null ? null : periods.toPeriod(asOfMs.value, connection.value),
  );

  function listOwn(report: Snapshot['report']): readonly Snapshot[] {
    if (connection.value === null) return [];
    return listUsable(snapshots.snapshots ?? [], connection.value.id, report).filter(isReadable);
  }

  /** A reported summary is shown under exactly the period that it was requested for (decision 33). */
  const reportedSnapshot = computed(() => {
    const wanted = period.value;
    if (fetched.value !== null || wanted === null) return fetched.value;
    return listOwn(`${readDirection()}-summary`).find((one) => isSamePeriod(one.period, wanted)) ?? null;
  });
  /** The snapshots that hold something of the period's records. */
  const parts = computed(() => {
    const wanted = period.value;
    if (wanted === null) return [];
    return listOwn(`${readDirection()}-detail`).filter((one) => isTouching(one.period, wanted));
  });
  const scope = computed<PeriodScope | null>(() => {
    if (connection.value === null || period.value === null || parts.value.length === 0) return null;
    const { fromMs, toMs } = period.value;
    const report = `${readDirection()}-detail` as const;
    return { connectionId: connection.value.id, report, fromMs, toMs: toMs + 1000 };
  });
  /** Changes with what is cached of the period. */
  const version = computed(() =>
    JSON.stringify(parts.value.map(({ id, state, recordCount }) => [id, state, recordCount])),
  );
  const coverage = usePeriodCoverage(
    () => scope.value,
    () => (scope.value?.toMs ?? 0) > asOfMs.value,
  );
  /** For the identifier that both summaries share, the service returns inbound groups only (decision 11). */
  const isInboundOnly = computed(
    () =>
      readDirection() === 'outbound' &&
      (reportedSnapshot.value?.remarks.some(({ code }) => code === 'answer-has-inbound-only') ?? false) &&
      hasSharedIdentifier(),
  );
  const source = computed<Source>(
    () => chosenSource.value ?? (isInboundOnly.value ? 'computed' : 'reported'),
  );
  const shown = computed(() => (source.value === 'reported' ? summaries.reported : summaries.cached));
  const reconciliation = useReconciliation(
    () => summaries.reported,
    () => summaries.cached,
  );
  const differences = computed(() =>
    reconciliation.value === null ? null : toGroupDifferences(reconciliation.value),
  );

  function chooseSource(next: Source): void {
    chosenSource.value = next;
  }

  function hasSharedIdentifier(): boolean {
    const identifiers = connection.value?.reportIdentifiers;
    return identifiers?.['outbound-summary'].toLowerCase() === identifiers?.['inbound-summary'].toLowerCase();
  }

  /** What is shown stays, with its own time, until the new summary is here. */
  async function refresh(): Promise<void> {
    if (connection.value === null) return;
    const wantedAtMs = Date.now();
    const wanted = periods.toPeriod(wantedAtMs, connection.value);
    const snapshot = await summaries.fetchReported(connection.value.id, readDirection(), wanted);
    if (snapshot === null) return;
    asOfMs.value = wantedAtMs;
    fetched.value = snapshot;
  }

  async function start(): Promise<void> {
    summaries.clear();
    fetched.value = null;
    chosenSource.value = null;
    asOfMs.value = Date.now();
    if (snapshots.snapshots === null) await snapshots.load();
    readBoth();
    const fetchedAtMs = reportedSnapshot.value?.fetchedAtMs ?? 0;
    if (Date.now() - fetchedAtMs > FRESH_MS) await refresh();
  }

  function readBoth(): void {
    void summaries.readReported(reportedSnapshot.value);
    void summaries.compute(scope.value);
  }

  // A snapshot is announced before its pages are in the cache, so its end counts as much as its beginning.
  watch(
    () => [reportedSnapshot.value?.id, reportedSnapshot.value?.state],
    () => void summaries.readReported(reportedSnapshot.value),
  );
  watch(
    () => [JSON.stringify(scope.value), version.value],
    () => void summaries.compute(scope.value),
  );
  watch([() => connection.value?.id, readDirection, () => periods.selection], () => void start());
  watch(zone, (next, previous) => {
    // Only whole days begin elsewhere in another clock.
    const [now, before] = [next, previous].map((one) => toPeriodEnds(periods.selection, asOfMs.value, one));
    if (now?.fromMs !== before?.fromMs || now?.toMs !== before?.toMs) void start();
  });

  onMounted(() => void start());
  onBeforeUnmount(summaries.clear);

  return {
    connection,
    zone,
    nowMs,
    source,
    shown,
    period,
    scope,
    version,
    asOfMs,
    coverage: reactive(coverage),
    isInboundOnly,
    reconciliation,
    differences,
    chooseSource,
    refresh,
  };
}
