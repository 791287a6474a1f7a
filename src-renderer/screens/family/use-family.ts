import { refThrottled } from '@vueuse/core';
import { computed, reactive, ref, watch } from 'vue';
import { listHistory } from '../../../src-main/common/model/connections/family-changes.ts';
import type { PeriodScope, RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { toRules, type OutcomeRule } from '../../../src-main/common/reporting/outcome.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../backend/backend.ts';
import { useScreenClock } from '../../composables/surroundings.ts';
import { useQuery } from '../../composables/use-query.ts';
import { isTouching, listUsable, usePeriodCoverage } from '../../period/period-coverage.ts';
import { useSnapshotsStore } from '../../stores/cache/downloads.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useClockStore, usePeriodStore } from '../../stores/window/times.ts';

const CLOCK_INTERVAL_MS = 15_000;
const RELOAD_INTERVAL_MS = 5_000;
/** Bars of the chart: an hour each in a week. */
const MAX_BUCKETS = 168;

/** The page of one family of errors in the period of the window: what is known of it, and what was done to it. */
export function useFamily(readDirection: () => Direction, readName: () => string) {
  const backend = useBackend();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const nowMs = useScreenClock(CLOCK_INTERVAL_MS);
  /** A period that moves with the clock stands still until something new is there to show. */
  const asOfMs = ref(Date.now());

  const connection = computed(() => connections.active);
  const report = computed(() => `${readDirection()}-detail` as const);
  const period = computed(() =>
    connection.value === null ? null : periods.toPeriod(asOfMs.value, connection.value),
  );
  const parts = computed(() => {
    const wanted = period.value;
    if (connection.value === null || wanted === null) return [];
    return listUsable(snapshots.snapshots ?? [], connection.value.id, report.value).filter((one) =>
      isTouching(one.period, wanted),
    );
  });
  const scope = computed<PeriodScope | null>(() => {
    if (connection.value === null || period.value === null) return null;
    const { fromMs, toMs } = period.value;
    // Periods are picked with their last second.
    return { connectionId: connection.value.id, report: report.value, fromMs, toMs: toMs + 1000 };
  });
  const coverage = usePeriodCoverage(
    () => scope.value,
    () => (period.value?.toMs ?? 0) + 1000 > asOfMs.value,
  );
  const cached = computed(() => parts.value.map(({ id, recordCount }) => `${id}:${recordCount}`).join());
  const settled = refThrottled(cached, RELOAD_INTERVAL_MS);
  watch([() => periods.selection, settled], () => (asOfMs.value = Date.now()));

  const {
    value: page,
    error,
    reload,
  } = useQuery(
    readName,
    async () => {
      const asked = scope.value;
      return asked === null || readName() === ''
        ? null
        : backend.call('families/read', { scope: asked, family: readName() });
    },
    { again: [scope] },
  );
  const filter = computed<RecordFilter>(() => ({
    conditions: [{ field: 'errorFamily', values: [page.value?.family ?? readName()] }],
  }));
  const { value: histogram } = useQuery(
    readName,
    async () => {
      const asked = scope.value;
      if (asked === null || page.value === null) return null;
      const { fromMs, toMs } = asked;
      const shape = { zone: clock.zone, maxBuckets: MAX_BUCKETS, split: 'class', withMedian: false } as const;
      return backend.call('records/read-histogram', {
        scope: asked,
        filter: filter.value,
        fromMs,
        toMs,
        ...shape,
      });
    },
    { again: [page, () => clock.zone] },
  );
  const changes = computed(() => connection.value?.families?.[readDirection()] ?? []);
  const history = computed(() => listHistory(changes.value, page.value?.family ?? readName()));
  /** Every name that rules may know it by, those that were taken back included. */
  const knownNames = computed(() => {
    const names = new Set([page.value?.family, readName(), ...history.value.map(({ act }) => act.family)]);
    for (const { act, isUndone } of changes.value)
      if (isUndone === true && 'name' in act && names.has(act.family)) names.add(act.name);
    return names;
  });
  const isExpectedRule = ({ error: about, outcome }: OutcomeRule): boolean =>
    typeof about === 'object' &&
    'family' in about &&
    outcome === 'expected' &&
    knownNames.value.has(about.family);
  const isExpected = computed(() =>
    toRules(connection.value?.outcomes, readDirection()).some(isExpectedRule),
  );

  /** Counts the family as an expected answer, or as what the other rules say. */
  async function toggleExpected(): Promise<void> {
    const own = connection.value;
    if (own === null || page.value === null) return;
    const rules = toRules(own.outcomes, readDirection());
    const rule: OutcomeRule = { error: { family: page.value.family }, outcome: 'expected' };
    const next = isExpected.value ? rules.filter((each) => !isExpectedRule(each)) : [rule, ...rules];
    await connections.saveOutcomes(own.id, { ...own.outcomes, [readDirection()]: next });
  }

  return {
    connection,
    zone: computed(() => clock.zone),
    asOfMs,
    nowMs,
    parts,
    scope,
    coverage: reactive(coverage),
    page,
    error,
    reload,
    filter,
    histogram,
    changes,
    history,
    isExpected,
    toggleExpected,
  };
}
