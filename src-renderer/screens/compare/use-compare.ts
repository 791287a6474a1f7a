import { watchThrottled } from '@vueuse/core';
import { computed, onMounted, reactive, shallowRef, watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { ComparedSide, Comparison } from '../../../src-main/common/model/analysis/comparison.ts';
import type { Histogram } from '../../../src-main/common/model/records/histogram.ts';
import { HOUR_MS, SECOND_MS } from '../../../src-main/common/time/durations.ts';
import { useBackend } from '../../backend/backend.ts';
import { createReading } from '../../composables/use-query.ts';
import { usePeriodCoverage, isReadable, listUsable } from '../../period/period-coverage.ts';
import { toPeriodText, type PeriodEnds } from '../../period/period-selection.ts';
import { useClockStore, usePeriodStore } from '../../stores/window/times.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useSnapshotsStore } from '../../stores/cache/downloads.ts';
import {
  type CompareChoice,
  readChoice,
  type Shift,
  writeChoice,
  hideUnknown,
  judgeCache,
  type SideCaches,
  toSide,
  type CompareSide,
} from './compare-choice.ts';
import { fromCivilTime, toCivilTime } from '../../../src-main/common/time/civil-time.ts';

const RELOAD_INTERVAL_MS = 2000;
const MAX_BUCKETS = 90;
/** The period before moves on with one that ends now, and would never be cached whole. */
const AHEAD_MS = HOUR_MS;

interface Read {
  readonly comparison: Comparison;
  readonly before: CompareSide;
  readonly after: CompareSide;
  readonly choice: CompareChoice;
  /** What was stored of the report by then. */
  readonly stored: string;
  readonly twins: Twins;
  /** What was not cached of either period by then. */
  readonly lacks: Readonly<Record<'own' | 'partner', Parameters<typeof judgeCache>[2]>>;
}

/** What was found, and how much of it is known. */
interface Compared extends Read {
  readonly cached: SideCaches;
}

interface Twins {
  readonly before: Histogram;
  readonly after: Histogram;
}

/** The state of the Compare screen: what the address says is compared, and what came of it. */
export function useCompare() {
  const backend = useBackend();
  const route = useRoute();
  const router = useRouter();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const asOfMs = shallowRef(Date.now());
  const { value: read, error, ask, clear } = createReading<Read>();
  const twins = computed(() => read.value?.twins ?? null);

  const zone = computed(() => clock.zone);
  const connection = computed(() => connections.active);
  /** On the way to another screen the address is no longer this one's. */
  const choice = computed<CompareChoice>((last) =>
    last !== undefined && route.path !== '/compare' ? last : readChoice(route.query),
  );
  const listOwn = (connectionId: string) =>
    listUsable(snapshots.snapshots ?? [], connectionId, `${choice.value.direction}-detail`).filter(
      isReadable,
    );
  const usable = computed(() => (connection.value === null ? [] : listOwn(connection.value.id)));
  /** The other connection where two are compared; null where it is that of the window, or isn't saved here. */
  const otherConnection = computed(() => {
    const { partner } = choice.value;
    if (partner.kind !== 'connection' || partner.connectionId === connection.value?.id) return null;
    return connections.list.find(({ id }) => id === partner.connectionId) ?? null;
  });

  /** Which of two snapshots that the address names can't be compared: deleted, or of the other direction; null for none. */
  const goneSnapshot = computed(() => {
    const { ownSnapshotId, partner } = choice.value;
    const named = [ownSnapshotId, partner.kind === 'snapshot' ? partner.snapshotId : null];
    const place = named.findIndex(
      (id) => id !== null && usable.value.every((snapshot) => snapshot.id !== id),
    );
    if (place === -1 || snapshots.snapshots === null) return null;
    const isKept = snapshots.snapshots.some(({ id }) => id === named[place]);
    return { side: place === 0 ? ('own' as const) : ('partner' as const), isKept };
  });
  const isListed = computed(
    () =>
      snapshots.snapshots !== null ||
      (choice.value.ownSnapshotId === null && choice.value.partner.kind !== 'snapshot'),
  );

  /** The period of all screens, and what it is compared with: null for a connection that can't be. */
  const pair = computed(() => {
    const { active } = connections;
    if (active === null) return null;
    const { ownSnapshotId, direction, partner, part } = choice.value;
    const find = (snapshotId: number | null) => usable.value.find(({ id }) => id === snapshotId) ?? null;
    const ownSnapshot = find(ownSnapshotId);
    const own = ownSnapshot?.period ?? periods.toPeriod(asOfMs.value, active);
    const snapshot = find(partner.kind === 'snapshot' ? partner.snapshotId : null);
    const other =
      partner.kind === 'custom'
        ? partner
        : (snapshot?.period ??
          shiftPeriod(own, partner.kind === 'shift' ? partner.shift : 'week-before', clock.readZone(active)));
    const source = { connectionId: active.id, direction };
    const ownSide = toSide({ ...source, ends: own, snapshot: ownSnapshot }, part);
    if (partner.kind !== 'connection')
      return { ownSnapshot, own: ownSide, partner: toSide({ ...source, ends: other, snapshot }, part) };
    // Nothing is compared in place of a connection that can't be.
    if (otherConnection.value === null) return { ownSnapshot, own: ownSide, partner: null };
    const same = { connectionId: otherConnection.value.id, direction, ends: own, snapshot: null };
    return { ownSnapshot, own: ownSide, partner: toSide(same, part) };
  });
  const sides = computed(() => {
    // Nothing is compared in place of a snapshot that isn't there.
    if (!isListed.value || goneSnapshot.value !== null) return null;
    if (pair.value === null || pair.value.partner === null) return null;
    const { own, partner } = pair.value;
    return choice.value.isSwapped ? { before: own, after: partner } : { before: partner, after: own };
  });
  const isOwnOpen = computed(() => (pair.value?.own.whole.toMs ?? 0) > asOfMs.value);
  const coverage = {
    own: usePeriodCoverage(
      () => (goneSnapshot.value?.side === 'own' ? null : (pair.value?.own.period ?? null)),
      () => isOwnOpen.value,
    ),
    partner: usePeriodCoverage(
      () => (goneSnapshot.value?.side === 'partner' ? null : (pair.value?.partner?.period ?? null)),
      () => isOwnOpen.value && otherConnection.value !== null,
      () => (isOwnOpen.value && choice.value.partner.kind === 'shift' ? AHEAD_MS : 0),
    ),
  };

  const stored = computed(() =>
    [...usable.value, ...(otherConnection.value === null ? [] : listOwn(otherConnection.value.id))]
      .map(({ id, state, recordCount }) => [id, state, recordCount].join())
      .join(';'),
  );
  const toLacks = ({ gaps, cachedUntilMs }: ReturnType<typeof usePeriodCoverage>) => ({
    gaps: gaps.value,
    cachedUntilMs: cachedUntilMs.value,
  });

  const compared = computed<Compared | null>(() => {
    if (read.value === null) return null;
    const { comparison, before, after, choice: own } = read.value;
    // Figures from before a download say nothing of what it brought.
    const lacks =
      read.value.stored === stored.value
        ? { own: toLacks(coverage.own), partner: toLacks(coverage.partner) }
        : read.value.lacks;
    const judge = (side: CompareSide, { count }: ComparedSide, name: 'own' | 'partner') =>
      judgeCache(side, count, lacks[name]);
    const { total } = comparison;
    const cached = {
      before: judge(before, total.before, own.isSwapped ? 'own' : 'partner'),
      after: judge(after, total.after, own.isSwapped ? 'partner' : 'own'),
    };
    return { ...read.value, comparison: hideUnknown(comparison, cached), cached };
  });

  function choose(change: Partial<CompareChoice>): void {
    const next = writeChoice({ ...choice.value, ...change });
    void router.push({ query: { ...route.query, ...next } });
  }

  async function load(): Promise<void> {
    const wanted = sides.value;
    if (wanted === null) {
      clear();
      return;
    }
    const { before, after } = wanted;
    const own = choice.value;
    const asOf = {
      stored: stored.value,
      lacks: { own: toLacks(coverage.own), partner: toLacks(coverage.partner) },
    };
    const toInput = ({ scope, conditions, lengthMs }: CompareSide) => ({
      scope,
      lengthMs,
      filter: { conditions: [...conditions] },
    });
    const { measure, quantile } = own;
    const by = own.then === null ? [own.by] : [own.by, own.then];
    const longestMs = Math.max(...[before, after].map(({ whole }) => whole.toMs - whole.fromMs));
    const readBars = ({ scope, whole: { fromMs } }: CompareSide) =>
      backend.call('records/read-histogram', {
        scope,
        filter: { conditions: [] },
        fromMs,
        toMs: fromMs + longestMs,
        zone: zone.value,
        maxBuckets: MAX_BUCKETS,
        split: 'class' as const,
        withMedian: false,
      });
    await ask(async () => {
      const [comparison, earlier, later] = await Promise.all([
        backend.call('compare/compare-groups', {
          before: toInput(before),
          after: toInput(after),
          by,
          measure,
          quantile,
        }),
        readBars(before),
        readBars(after),
      ]);
      return {
        comparison,
        before,
        after,
        choice: own,
        ...asOf,
        twins: { before: earlier, after: later },
      };
    });
  }

  onMounted(async () => {
    if (snapshots.snapshots === null) await snapshots.load();
  });
  // What was found of one connection says nothing of another.
  watch(() => connection.value?.id, clear);
  watch(() => JSON.stringify([sides.value, choice.value]), load, { immediate: true });
  watch(
    () => periods.selection,
    (selection) => {
      asOfMs.value = Date.now();
      if (choice.value.part === null) return;
      // With the period: the address that carries it may not be there yet.
      const next = writeChoice({ ...choice.value, part: null });
      void router.push({ query: { ...route.query, ...next, period: toPeriodText(selection) } });
    },
  );
  // A period that ends now has moved on by the time that more of it is cached.
  watchThrottled(
    stored,
    () => {
      asOfMs.value = Date.now();
      void load();
    },
    { throttle: RELOAD_INTERVAL_MS },
  );

  return {
    connection,
    otherConnection,
    goneSnapshot,
    zone,
    asOfMs,
    choice,
    usable,
    pair,
    sides,
    coverage: { own: reactive(coverage.own), partner: reactive(coverage.partner) },
    compared,
    twins,
    // What a snapshot holds isn't known without the list that it stands in.
    error: computed(() => error.value ?? (isListed.value ? null : snapshots.error)),
    choose,
    retry: () => (isListed.value ? load() : snapshots.load()),
  };
}

const DAYS: Readonly<Record<Exclude<Shift, 'period-before'>, number>> = { 'week-before': 7, 'day-before': 1 };

/** Returns the period that a shift leads to, both ends included: a day earlier is the same time of that day's clock. */
export function shiftPeriod({ fromMs, toMs }: PeriodEnds, shift: Shift, zone: string): PeriodEnds {
  if (shift === 'period-before') {
    const lengthMs = toMs - fromMs + SECOND_MS;
    return { fromMs: fromMs - lengthMs, toMs: fromMs - SECOND_MS };
  }
  const days = DAYS[shift];
  // The end is moved from the second after it, which may be a midnight of its own.
  return {
    fromMs: moveDays(fromMs, -days, zone),
    toMs: moveDays(toMs + SECOND_MS, -days, zone) - SECOND_MS,
  };
}

function moveDays(atMs: number, days: number, zone: string): number {
  const civil = toCivilTime(atMs, zone);
  const moved = new Date(Date.UTC(civil.year, civil.month - 1, civil.day + days));
  return fromCivilTime(
    { ...civil, year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() },
    zone,
  );
}
