import {
  computed,
  type ComputedRef,
  onBeforeUnmount,
  onMounted,
  reactive,
  type Ref,
  shallowRef,
  watch,
} from 'vue';
import type { Reconciliation } from '../../../src-main/common/model/analysis/comparison.ts';
import { type Snapshot, toKnownTenant } from '../../../src-main/common/model/cache/snapshot.ts';
import type { Connection } from '../../../src-main/common/model/connections/connection.ts';
import { type Period, toEndMs } from '../../../src-main/common/model/period.ts';
import type { SummaryGroup } from '../../../src-main/common/model/records/histogram.ts';
import type { PeriodScope, RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { toComputedStatement, toReportedStatement } from '../../../src-main/common/sql/view-statements.ts';
import { useBackend } from '../../backend/backend.ts';
import { type ExportSubject, toExportSubject } from '../../components/dialogs/export/export-choices.ts';
import { useScreenClock } from '../../composables/surroundings.ts';
import { useQuery } from '../../composables/use-query.ts';
import {
  isReadable,
  isSamePeriod,
  isTouching,
  listUsable,
  usePeriodCoverage,
} from '../../period/period-coverage.ts';
import { toPeriodEnds } from '../../period/period-selection.ts';
import {
  type ComputedSummary,
  type ReportedSummary,
  useSummariesStore,
} from '../../stores/analysis/summaries.ts';
import { useSnapshotsStore } from '../../stores/cache/downloads.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useClockStore, usePeriodStore } from '../../stores/window/times.ts';
import { isOnGroups } from './groups/group-words.ts';

/** A group whose reported and cached numbers of requests differ. */
export interface GroupDifference {
  readonly key: string;
  /** Cached minus reported. */
  readonly difference: number;
}

/** Returns what identifies a group in either source. */
export function toGroupKey(
  group: Pick<SummaryGroup, 'channel' | 'service' | 'origin' | 'responseCode'>,
): string {
  return JSON.stringify([group.channel, group.service, group.origin ?? '', group.responseCode]);
}

/** Returns the groups whose counts differ; null where the two sides can't be compared. */
export function toGroupDifferences({
  obstacle,
  differences,
}: Reconciliation): readonly GroupDifference[] | null {
  if (obstacle !== null) return null;
  return differences.flatMap((group) => {
    const count = group.figures.find(({ name }) => name === 'count');
    if (count === undefined) return [];
    return [{ key: toGroupKey(group), difference: (count.computed ?? 0) - (count.reported ?? 0) }];
  });
}

/** The period of a Summary screen, and what is cached of it for both sources. */
function useSummaryPeriod(readDirection: () => Direction) {
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const fetched = shallowRef<Snapshot | null>(null);

  const connection = computed(() => connections.active);
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

  /** Takes the period as of a moment, with the summary that was fetched of it; null where none was yet. */
  function moveTo(nextMs: number, snapshot: Snapshot | null): void {
    asOfMs.value = nextMs;
    fetched.value = snapshot;
  }

  return { connection, asOfMs, period, reportedSnapshot, parts, scope, version, moveTo };
}

/**
 * How the reported summary agrees with what is cached, kept up to date; null while that is not known. Nothing is claimed
 * after a failure either.
 */
function useReconciliation(
  readReported: () => ReportedSummary | null,
  readCached: () => ComputedSummary | null,
) {
  const backend = useBackend();
  return useQuery(
    () => readReported()?.snapshot.id ?? null,
    async (): Promise<Reconciliation | null> => {
      const reported = readReported();
      if (reported === null) return null;
      return backend.call('summaries/reconcile', { snapshotId: reported.snapshot.id }).catch(() => null);
    },
    { again: [readReported, readCached] },
  ).value;
}

export const SOURCES = ['reported', 'computed'] as const;
export type Source = (typeof SOURCES)[number];

const CLOCK_INTERVAL_MS = 15_000;
/** A cached summary younger than this is shown without fetching it again. */
const FRESH_MS = 60_000;
/** What was seen less than this ago is shown again on the way back to it. */
const KEPT_MS = 300_000;

/** The state of a Summary screen: both sources of the chosen period, and whether they agree. */
export function useSummary(readDirection: () => Direction, chosenSource: Readonly<Ref<Source | null>>) {
  const clock = useClockStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const summaries = useSummariesStore();
  const nowMs = useScreenClock(CLOCK_INTERVAL_MS);

  const zone = computed(() => clock.zone);
  const subject = computed(() =>
    JSON.stringify([connection.value?.id, readDirection(), periods.selection, zone.value]),
  );
  const { connection, asOfMs, period, reportedSnapshot, parts, scope, version, moveTo } =
    useSummaryPeriod(readDirection);
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
    moveTo(wantedAtMs, snapshot);
    summaries.keepSeen({ subject: subject.value, atMs: wantedAtMs, snapshot });
  }

  async function start(): Promise<void> {
    summaries.clear();
    if (snapshots.snapshots === null) await snapshots.load();
    const { seen } = summaries;
    const isSeen = seen?.subject === subject.value && Date.now() - seen.atMs < KEPT_MS;
    moveTo(isSeen ? seen.atMs : Date.now(), isSeen ? seen.snapshot : null);
    readBoth();
    if (isSeen) return;
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
    parts,
    scope,
    version,
    asOfMs,
    coverage: reactive(coverage),
    isInboundOnly,
    reconciliation,
    differences,
    refresh,
  };
}

interface Input {
  readonly direction: Direction;
  readonly source: Source;
  readonly reportedSnapshot: Snapshot | null;
  readonly period: Period | null;
  readonly zone: string;
  readonly connection: Pick<Connection, 'kind' | 'tenant'> | null;
  readonly filter: RecordFilter;
}

/** What can be taken from a Summary screen: a file, or a statement for the SQL screen. */
export function useSummaryTaking(readInput: () => Input): {
  readonly exportSubject: ComputedRef<ExportSubject | null>;
  makeStatement(): string;
} {
  const summaries = useSummariesStore();

  const exportSubject = computed<ExportSubject | null>(() => {
    const { source, reportedSnapshot, period, connection } = readInput();
    if (reportedSnapshot !== null) return toExportSubject(reportedSnapshot);
    const { cached } = summaries;
    if (source === 'reported' || period === null || connection === null || cached === null) return null;
    const { scope, summary } = cached;
    const report = scope.report === 'inbound-detail' ? 'inbound-summary' : 'outbound-summary';
    const tenant = toKnownTenant(connection.tenant, connection.kind === 'imported');
    return { scope, report, tenant, period, recordCount: summary.groups.length, isComputed: true };
  });

  /** The groups that are shown, but for those that the words in the field leave out. */
  function makeStatement(): string {
    const { direction, source, period, zone, filter } = readInput();
    const clock = { zone, fromMs: period?.fromMs ?? 0, toMs: period === null ? 0 : toEndMs(period) };
    const own = { conditions: filter.conditions.filter(isOnGroups) };
    return source === 'reported'
      ? toReportedStatement(direction, own, clock)
      : toComputedStatement(direction, own, clock);
  }

  return { exportSubject, makeStatement };
}
