import { useThrottleFn } from '@vueuse/core';
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { Connection } from '../../../../src-main/common/model/connections/connection.ts';
import { REPORT_KINDS, type ReportKind } from '../../../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { useBackend } from '../../../backend/backend.ts';
import { useClock } from '../../../composables/surroundings.ts';
import { toErrorLike, type ErrorLike } from '../../../messages/error-like.ts';
import { useClockStore } from '../../../stores/window/clock.ts';
import {
  countBuckets,
  cutSpan,
  toCells,
  toDays,
  type CoverageBucket,
  type CoverageCell,
  type CoverageZoom,
} from './coverage-map.ts';

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

  return { path, zoom, whole, rows, error, isLoaded: computed(() => buckets.value !== null), load, zoomIn, zoomTo };
}
