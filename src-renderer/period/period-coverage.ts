import type { Period } from '../../src-main/common/model/period.ts';
import type { Snapshot } from '../../src-main/common/model/cache/snapshot.ts';
import { useThrottleFn } from '@vueuse/core';
import { computed, onScopeDispose, shallowRef, watch } from 'vue';
import type { Output } from '../../src-main/common/contract/index.ts';
import { toMaxTailMs } from '../../src-main/common/model/cache/download.ts';
import type { PeriodScope } from '../../src-main/common/model/records/record-filter.ts';
import { useBackend } from '../backend/backend.ts';
import { useDownloadsStore, useSnapshotsStore } from '../stores/cache/downloads.ts';
import { useFollowingStore } from '../stores/connections/status.ts';
import { createReading, useAttempt } from '../composables/use-query.ts';

type Span = Pick<Period, 'fromMs' | 'toMs'>;

/** True when two periods have a moment in common. */
export function isTouching(a: Span, b: Span): boolean {
  return a.fromMs <= b.toMs && b.fromMs <= a.toMs;
}

/** Returns the snapshots of a connection's report that hold anything to show, the one fetched last first. */
export function listUsable(
  snapshots: readonly Snapshot[],
  connectionId: string,
  report: Snapshot['report'],
): readonly Snapshot[] {
  return snapshots
    .filter((snapshot) => snapshot.connectionId === connectionId && snapshot.report === report)
    .filter((snapshot) => snapshot.state !== 'failed' || snapshot.recordCount > 0)
    .sort((a, b) => b.fetchedOrder - a.fetchedOrder || b.id - a.id);
}

/** True when a summary of the snapshot can be shown: a report of groups is valid only as a whole, records at any number. */
export function isReadable({ report, state, recordCount }: Snapshot): boolean {
  if (state === 'complete') return true;
  return recordCount > 0 && (state !== 'downloading' || !isSummary(report));
}

/** Returns whether a report consists of groups rather than of records. */
export function isSummary(report: Snapshot['report']): boolean {
  return report.endsWith('-summary');
}

/** True when two periods are the same to the second. */
export function isSamePeriod(a: Span, b: Span): boolean {
  return a.fromMs === b.fromMs && a.toMs === b.toMs;
}

type Gap = Output<'coverage/read'>['gaps'][number];

const RELOAD_INTERVAL_MS = 1000;

/**
 * What passes while a period is fetched that ends now. It can't be fetched away: the period has moved on by as much when
 * it has been.
 */
const UNFETCHABLE_TAIL_MS = 10_000;

function sumUp(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

function isSameReport(
  a: Pick<Snapshot, 'connectionId' | 'report'>,
  b: Pick<PeriodScope, 'connectionId' | 'report'>,
): boolean {
  return a.connectionId === b.connectionId && a.report === b.report;
}

/**
 * What of a period is not cached, kept up to date, and the way to fetch just that. Of a period that ends now
 * (`endsNow`), what came since the last download is no gap while it is short: `cachedUntilMs` says where the cache ends.
 * `readAheadMs` is fetched beyond the period, up to now: one that moves on with the clock stays cached for as long.
 */
export function usePeriodCoverage(
  readScope: () => PeriodScope | null,
  endsNow: () => boolean = () => false,
  readAheadMs: () => number = () => 0,
) {
  const backend = useBackend();
  const snapshots = useSnapshotsStore();
  const downloads = useDownloadsStore();
  const following = useFollowingStore();
  const { isRunning: isFetching, error, attempt } = useAttempt();
  /** Null until it is known. Records that have only not settled yet are there, and so are no gaps. */
  const reading = createReading<
    PeriodScope & { readonly gaps: readonly Gap[]; readonly unreadyRecords: number }
  >();
  const found = reading.value;
  const tail = computed<Gap | null>(() => {
    const last = found.value?.gaps.at(-1);
    if (found.value === null || last === undefined || !endsNow() || last.toMs !== found.value.toMs)
      return null;
    return last.state === 'missing' && last.toMs - last.fromMs <= toMaxTailMs(found.value) ? last : null;
  });
  const gaps = computed(() => found.value?.gaps.filter((gap) => gap !== tail.value) ?? null);
  const isFilling = computed(() => {
    const scope = readScope();
    return (snapshots.snapshots ?? []).some(
      (one) =>
        scope !== null &&
        one.state === 'downloading' &&
        isSameReport(one, scope) &&
        isTouching(one.period, scope),
    );
  });
  /** What was found is from the midst of a download. */
  const wasFilling = shallowRef(false);

  /** What is missing is being fetched, also by following. */
  const isBeingFetched = computed(() => gaps.value?.some(({ fetching }) => fetching !== null) ?? false);

  const missingMs = computed(() => sumUp(gaps.value ?? []));

  const partialMs = computed(() => sumUp((gaps.value ?? []).filter(({ state }) => state === 'partial')));

  async function load(): Promise<void> {
    const scope = readScope();
    if (scope === null || (found.value !== null && !isSameReport(scope, found.value))) reading.clear();
    if (scope === null) return;
    const filling = isFilling.value;
    const isRead = await reading.ask(async () => {
      const { gaps: read, unreadyRecords } = await backend.call('coverage/read', { ...scope, buckets: 1 });
      return { ...scope, gaps: read.filter(({ state }) => state !== 'open'), unreadyRecords };
    });
    if (isRead) wasFilling.value = filling;
    // Without its gaps a period is shown as what is known of it: nothing is claimed, and nothing of the one before.
    else if (reading.error.value !== null) found.value = null;
  }

  async function fetchGaps(): Promise<void> {
    const scope = readScope();
    if (scope === null) return;
    const aheadToMs = Math.max(scope.toMs, Math.min(scope.toMs + readAheadMs(), Date.now()));
    await attempt(() => downloads.fetchGaps({ ...scope, toMs: aheadToMs - 1000 }));
  }

  watch(() => JSON.stringify(readScope()), load, { immediate: true });
  const loadSoon = useThrottleFn(load, RELOAD_INTERVAL_MS, true);
  onScopeDispose(
    backend.on('coverage/changed', (subject) => {
      const scope = readScope();
      if (scope !== null && isSameReport(subject, scope)) void loadSoon();
    }),
  );
  watch(isFilling, (filling) => {
    if (!filling) void load();
  });

  return {
    isKnown: computed(() => gaps.value !== null),
    /** False once a download of the period has ended, until it is known what that left missing. */
    isCurrent: computed(() => isFilling.value || !wasFilling.value),
    gaps: computed(() => gaps.value ?? []),
    /** Records that are stored but not yet in the engine. */
    unreadyRecords: computed(() => found.value?.unreadyRecords ?? 0),
    /** What is missing, or was begun and holds only some of its records. */
    missingMs,
    /** How much of that holds some of its records: a download that is paused or ended early. */
    partialMs,
    /** Where the cache ends although the period goes on for a little; null where it doesn't. */
    cachedUntilMs: computed(() => tail.value?.fromMs ?? null),
    /** Fetching brings some of what is missing, a little at the end included. */
    canFetch: computed(
      () =>
        missingMs.value > 0 ||
        // Where the connection is followed, the end comes by itself.
        (tail.value !== null &&
          !following.isActive &&
          tail.value.toMs - tail.value.fromMs > UNFETCHABLE_TAIL_MS),
    ),
    isFetching,
    isBeingFetched,
    error,
    fetchGaps,
  };
}
