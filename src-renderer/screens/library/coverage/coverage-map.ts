import type { Output } from '../../../../src-main/common/contract/index.ts';
import {
  civilToUtcMs,
  fromCivilTime,
  toCivilTime,
  utcMsToCivil,
} from '../../../../src-main/common/time/civil-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { toMaxTailMs } from '../../../../src-main/common/model/cache/download.ts';
import { useThrottleFn } from '@vueuse/core';
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { Connection } from '../../../../src-main/common/model/connections/connection.ts';
import { REPORT_KINDS, type ReportKind } from '../../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../../backend/backend.ts';
import { useClock } from '../../../composables/surroundings.ts';
import { toErrorLike, type ErrorLike } from '../../../messages/error-like.ts';
import { useClockStore } from '../../../stores/window/times.ts';

export type CoverageBucket = Output<'coverage/read'>['buckets'][number];

/** What one cell of the map is: a day of the last ones, an hour of a day, a minute of an hour. */
export type CoverageZoom = 'days' | 'hours' | 'minutes';

export type CoverageState = 'settled' | 'open' | 'partial' | 'failed' | 'missing';

export interface CoverageCell extends TimeSpan {
  readonly state: CoverageState;
  /** The cached share, settled or not, 0 to 1. */
  readonly share: number;
  /** A person's word alone says that some of it is complete. */
  readonly isStated?: boolean;
}

/** Clocks change by multiples of this, so civil days and hours consist of whole buckets. */
const STEP_MS = 1_800_000;
/** From this share on a cell counts as whole, in spite of rounding. */
const WHOLE = 0.999_999;

/** Returns the last civil days of a zone, oldest first; one on which the clock changes has 23 or 25 hours. */
export function toDays(nowMs: number, zone: string, dayCount: number): readonly TimeSpan[] {
  const today = toCivilTime(nowMs, zone);
  const todayUtcMs = civilToUtcMs({ ...today, hour: 0, minute: 0, second: 0, millisecond: 0 });
  const toInstant = (day: number): number => fromCivilTime(utcMsToCivil(todayUtcMs + day * DAY_MS), zone);
  return Array.from({ length: dayCount }, (_, index) => {
    const day = index - dayCount + 1;
    return { fromMs: toInstant(day), toMs: toInstant(day + 1) };
  });
}

/** Returns the hours of a day, or the minutes of an hour; the last one may be shorter. */
export function cutSpan(span: TimeSpan, zoom: 'hours' | 'minutes'): readonly TimeSpan[] {
  const stepMs = zoom === 'hours' ? HOUR_MS : MINUTE_MS;
  const count = Math.ceil((span.toMs - span.fromMs) / stepMs);
  return Array.from({ length: count }, (_, index) => {
    const fromMs = span.fromMs + index * stepMs;
    return { fromMs, toMs: Math.min(span.toMs, fromMs + stepMs) };
  });
}

/** Returns how many equal buckets to request so that every cell consists of whole ones. */
export function countBuckets(span: TimeSpan, zoom: CoverageZoom): number {
  const stepMs = zoom === 'minutes' ? MINUTE_MS : STEP_MS;
  return Math.max(1, Math.round((span.toMs - span.fromMs) / stepMs));
}

/**
 * Joins the buckets of each cell. Its state is the best one that holds for all of it, or else its worst. The cell that
 * goes on is still open where nothing lacks of what has passed of it.
 */
export function toCells(
  cells: readonly TimeSpan[],
  buckets: readonly CoverageBucket[],
  nowMs: number,
): readonly CoverageCell[] {
  return cells.map((cell) => {
    const isWithin = ({ fromMs, toMs }: TimeSpan): boolean => fromMs < cell.toMs && toMs > cell.fromMs;
    const isStated = buckets.some((bucket) => (bucket.stated ?? 0) > 0 && isWithin(bucket));
    const stated = isStated ? { isStated } : {};
    if (isCachedSoFar(cell, buckets, nowMs)) return { ...cell, state: 'open', share: 1, ...stated };
    const sums = { settled: 0, open: 0, partial: 0, failed: 0 };
    for (const bucket of buckets) {
      const commonMs = Math.min(cell.toMs, bucket.toMs) - Math.max(cell.fromMs, bucket.fromMs);
      if (commonMs <= 0) continue;
      const weight = commonMs / (cell.toMs - cell.fromMs);
      for (const state of ['settled', 'open', 'partial', 'failed'] as const) {
        sums[state] += bucket[state] * weight;
      }
    }
    return { ...cell, ...toState(sums), ...stated };
  });
}

/** Returns whether a cell goes on, and all of it is cached that has passed, but for the newest part. */
function isCachedSoFar(cell: TimeSpan, buckets: readonly CoverageBucket[], nowMs: number): boolean {
  if (nowMs <= cell.fromMs || nowMs >= cell.toMs) return false;
  const tailFromMs = Math.max(cell.fromMs, nowMs - toMaxTailMs(cell));
  const own = buckets.filter(
    ({ fromMs, toMs }) => fromMs < nowMs && fromMs < cell.toMs && toMs > cell.fromMs,
  );
  const isWhole = own.every(({ fromMs, toMs, settled, open }) => {
    const passedMs = Math.min(nowMs, toMs) - fromMs;
    const excusedMs = Math.max(0, Math.min(nowMs, toMs) - Math.max(tailFromMs, fromMs));
    return passedMs - (settled + open) * (toMs - fromMs) <= excusedMs + (toMs - fromMs) * (1 - WHOLE);
  });
  return isWhole && own.some(({ settled, open }) => settled + open > 0);
}

function toState(sums: Readonly<Record<Exclude<CoverageState, 'missing'>, number>>): {
  readonly state: CoverageState;
  readonly share: number;
} {
  const { settled, open, partial, failed } = sums;
  const share = Math.min(1, settled + open);
  if (settled >= WHOLE) return { state: 'settled', share: 1 };
  if (share >= WHOLE) return { state: 'open', share: 1 };
  if (failed > 0 && share + partial < 1 - WHOLE) return { state: 'failed', share: 0 };
  if (share + partial > 1 - WHOLE) return { state: 'partial', share: share + partial / 2 };
  return { state: 'missing', share: 0 };
}

export const COVERAGE_DAYS = 30;
const CLOCK_INTERVAL_MS = 60_000;
const RELOAD_INTERVAL_MS = 1000;
const ZOOMS: readonly CoverageZoom[] = ['days', 'hours', 'minutes'];

export interface CoverageRow {
  readonly report: ReportKind;
  readonly cells: readonly CoverageCell[];
}

/** The coverage of a connection's reports at the chosen zoom, kept up to date. */
export function useCoverage(connection: Connection) {
  const backend = useBackend();
  const clock = useClockStore();
  const now = useClock(CLOCK_INTERVAL_MS);
  /** The spans that were zoomed into, beginning with the day. */
  const path = ref<readonly TimeSpan[]>([]);
  const buckets = shallowRef<ReadonlyMap<ReportKind, readonly CoverageBucket[]> | null>(null);
  const error = shallowRef<ErrorLike | null>(null);

  const zoom = computed<CoverageZoom>(() => ZOOMS[path.value.length] ?? 'minutes');
  const spans = computed<readonly TimeSpan[]>(() => {
    const inside = path.value.at(-1);
    if (inside === undefined) return toDays(now.value, clock.readZone(connection), COVERAGE_DAYS);
    return cutSpan(inside, zoom.value === 'hours' ? 'hours' : 'minutes');
  });
  const whole = computed<TimeSpan>(() => ({
    fromMs: spans.value[0]?.fromMs ?? 0,
    toMs: spans.value.at(-1)?.toMs ?? 0,
  }));
  const rows = computed<readonly CoverageRow[]>(() =>
    REPORT_KINDS.map((report) => ({
      report,
      cells: toCells(spans.value, buckets.value?.get(report) ?? [], now.value),
    })),
  );

  async function load(): Promise<void> {
    const span = whole.value;
    const read = async (report: ReportKind) => {
      const coverage = await backend.call('coverage/read', {
        connectionId: connection.id,
        report,
        ...span,
        buckets: countBuckets(span, zoom.value),
      });
      return [report, coverage.buckets] as const;
    };
    try {
      const loaded = new Map(await Promise.all(REPORT_KINDS.map(read)));
      if (span !== whole.value) return;
      buckets.value = loaded;
      error.value = null;
    } catch (thrown) {
      if (span === whole.value) error.value = toErrorLike(thrown);
    }
  }

  watch(
    () => clock.readZone(connection),
    () => (path.value = []),
  );
  watch(whole, load, { immediate: true });
  const loadSoon = useThrottleFn(load, RELOAD_INTERVAL_MS, true);
  onScopeDispose(
    backend.on('coverage/changed', ({ connectionId }) => {
      if (connectionId === connection.id) void loadSoon();
    }),
  );

  function zoomIn(span: TimeSpan): void {
    if (zoom.value !== 'minutes') path.value = [...path.value, { fromMs: span.fromMs, toMs: span.toMs }];
  }

  function zoomTo(depth: number): void {
    path.value = path.value.slice(0, depth);
  }

  return {
    path,
    zoom,
    whole,
    rows,
    error,
    isLoaded: computed(() => buckets.value !== null),
    load,
    zoomIn,
    zoomTo,
  };
}
