import { computed, onBeforeUnmount, onMounted, shallowRef, watch } from 'vue';
import type { Period } from '../../../src-main/common/model/period.ts';
import type { Snapshot } from '../../../src-main/common/model/snapshot.ts';
import { useClock } from '../../composables/use-clock.ts';
import { useConnectionsStore } from '../../stores/connections.ts';
import { usePeriodStore } from '../../stores/period.ts';
import { hasSamePeriod, isReadable, listUsable, pickSnapshot } from '../../period/pick-snapshot.ts';
import { useSnapshotsStore } from '../../stores/snapshots.ts';
import { useSummariesStore } from '../../stores/summaries.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { findDifferences } from './summary-differences.ts';

export type Source = 'reported' | 'computed';

const CLOCK_INTERVAL_MS = 15_000;
/** A cached summary younger than this is shown without fetching it again. */
const FRESH_MS = 60_000;

/** The state of a Summary screen: both sources of the chosen period, and whether they agree. */
export function useSummary(readDirection: () => Direction) {
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const summaries = useSummariesStore();
  const nowMs = useClock(CLOCK_INTERVAL_MS);
  const chosenSource = shallowRef<Source | null>(null);
  const fetched = shallowRef<Snapshot | null>(null);

  const connection = computed(() => connections.active);
  const zone = computed(() => connection.value?.serviceZone ?? 'UTC');
  const period = computed(() =>
    connection.value === null ? null : periods.toPeriod(nowMs.value, connection.value),
  );

  function pick(report: Snapshot['report']): Snapshot | null {
    if (connection.value === null || period.value === null) return null;
    const usable = listUsable(snapshots.snapshots ?? [], connection.value.id, report);
    return pickSnapshot(usable.filter(isReadable), period.value);
  }

  const reportedSnapshot = computed(() => fetched.value ?? pick(`${readDirection()}-summary`));
  const detailSnapshot = computed(() => pick(`${readDirection()}-detail`));
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
  const isComparable = computed(() => {
    const { reported, cached } = summaries;
    if (reported === null || cached === null || isInboundOnly.value) return false;
    return cached.snapshot.state === 'complete' && hasSamePeriod(reported.snapshot, cached.snapshot);
  });
  const differences = computed(() =>
    isComparable.value && summaries.reported !== null && summaries.cached !== null
      ? findDifferences(summaries.reported.summary.groups, summaries.cached.summary.groups)
      : null,
  );

  function chooseSource(next: Source): void {
    chosenSource.value = next;
  }

  function hasSharedIdentifier(): boolean {
    const identifiers = connection.value?.reportIdentifiers;
    return identifiers?.['outbound-summary'].toLowerCase() === identifiers?.['inbound-summary'].toLowerCase();
  }

  async function fetchPeriod(wanted: Period): Promise<void> {
    if (connection.value === null) return;
    const snapshot = await summaries.fetchReported(connection.value.id, readDirection(), wanted);
    if (snapshot !== null) fetched.value = snapshot;
  }

  async function refresh(): Promise<void> {
    if (connection.value !== null) await fetchPeriod(periods.toPeriod(Date.now(), connection.value));
  }

  /** Fetches the very period of the cached records, so that both sources can be compared. */
  async function fetchCachedPeriod(): Promise<void> {
    if (detailSnapshot.value !== null) await fetchPeriod(detailSnapshot.value.period);
  }

  async function start(): Promise<void> {
    summaries.clear();
    fetched.value = null;
    chosenSource.value = null;
    if (snapshots.snapshots === null) await snapshots.load();
    readBoth();
    const fetchedAtMs = reportedSnapshot.value?.fetchedAtMs ?? 0;
    if (Date.now() - fetchedAtMs > FRESH_MS) await refresh();
  }

  function readBoth(): void {
    void summaries.read('reported', reportedSnapshot.value);
    void summaries.read('computed', detailSnapshot.value);
  }

  // A snapshot is announced before its pages are in the cache, so its end counts as much as its beginning.
  watch(
    () => [reportedSnapshot.value?.id, reportedSnapshot.value?.state],
    () => void summaries.read('reported', reportedSnapshot.value),
  );
  watch(
    () => [detailSnapshot.value?.id, detailSnapshot.value?.state],
    () => void summaries.read('computed', detailSnapshot.value),
  );
  watch([() => connection.value?.id, readDirection, () => periods.selection, () => periods.pickIn], () => {
    void start();
  });

  onMounted(() => void start());
  onBeforeUnmount(summaries.clear);

  return {
    connection,
    zone,
    nowMs,
    source,
    shown,
    detailSnapshot,
    isInboundOnly,
    differences,
    chooseSource,
    refresh,
    fetchCachedPeriod,
  };
}
