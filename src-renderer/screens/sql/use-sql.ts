import { computed, onBeforeUnmount, reactive, shallowRef, watch } from 'vue';
import type { Connection } from '../../../src-main/common/model/connections/connection.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-filter.ts';
import { findReportField, listFieldsWith } from '../../../src-main/common/model/records/record-fields.ts';
import { type Direction, DIRECTIONS } from '../../../src-main/common/reporting/reports.ts';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { useBackend } from '../../backend/backend.ts';
import { useClock } from '../../composables/surroundings.ts';
import { useQuery } from '../../composables/use-query.ts';
import { isTouching, listUsable, usePeriodCoverage } from '../../period/period-coverage.ts';
import { type KnownOf, useChosenConnections } from '../../several/several.ts';
import { useSnapshotsStore } from '../../stores/cache/downloads.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useSqlStore } from '../../stores/records/sql.ts';
import { useClockStore, usePeriodStore } from '../../stores/window/times.ts';

const FIELDS: ReadonlyMap<string, string> = new Map(
  DIRECTIONS.flatMap((direction) =>
    listFieldsWith('named').map((field) => [findReportField(field, direction)?.column ?? '', field]),
  ),
);

/** The field whose values a column of this name most likely holds, for the names that a person gave these. */
export function toNamedField(columnName: string): string {
  return FIELDS.get(columnName.toLowerCase()) ?? '';
}

const CLOCK_INTERVAL_MS = 250;

/** The state of the SQL screen: the period that statements are asked of, and the statement that runs. */
export function useSql() {
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();
  const sql = useSqlStore();
  const nowMs = useClock(CLOCK_INTERVAL_MS);

  const connection = computed(() => connections.active);
  const zone = computed(() => clock.zone);
  /** A period that moves with the clock stands still until the next run. */
  const asOfMs = shallowRef(Date.now());
  const span = computed(() => {
    if (connection.value === null) return null;
    const { fromMs, toMs } = periods.toPeriod(asOfMs.value, connection.value);
    // Periods are picked with their last second.
    return { fromMs, toMs: toMs + 1000 };
  });
  const toScope = (direction: Direction): PeriodScope | null =>
    connection.value === null || span.value === null
      ? null
      : { connectionId: connection.value.id, report: `${direction}-detail`, ...span.value };
  const coverages = DIRECTIONS.map((direction) => ({
    direction,
    coverage: reactive(
      usePeriodCoverage(
        () => toScope(direction),
        () => (span.value?.toMs ?? 0) > asOfMs.value,
      ),
    ),
  }));
  /** Directions of which something of the period is cached. */
  const cachedDirections = computed(() =>
    DIRECTIONS.filter((direction) => {
      const { value: active } = connection;
      if (active === null || span.value === null) return false;
      const period = periods.toPeriod(asOfMs.value, active);
      return listUsable(snapshots.snapshots ?? [], active.id, `${direction}-detail`).some((one) =>
        isTouching(one.period, period),
      );
    }),
  );
  const runningMs = computed(() =>
    sql.running === null ? null : Math.max(0, nowMs.value - sql.running.startedMs),
  );

  const { chosen, others, isSeveral } = useChosenConnections();
  const known = useSeveralCoverage(
    () => chosen.value,
    () => span.value,
  );
  const otherIds = computed(() => others.value.map(({ id }) => id));
  const toOthers = (ids: readonly string[]) => (ids.length === 0 ? {} : { otherConnectionIds: [...ids] });

  async function run(): Promise<void> {
    if (connection.value === null) return;
    asOfMs.value = sql.wantedAtMs ?? Date.now();
    if (span.value === null) return;
    await sql.run({
      connectionId: connection.value.id,
      ...toOthers(otherIds.value),
      ...span.value,
      zone: zone.value,
      text: sql.text,
    });
  }

  watch(
    [() => sql.wantedAtMs, connection],
    () => {
      if (sql.wantedAtMs !== null && connection.value !== null) void run();
    },
    { immediate: true },
  );
  watch(
    () => [connection.value?.id, otherIds.value.join(), periods.selection],
    () => {
      asOfMs.value = Date.now();
      void sql.cancel();
    },
  );
  // Nobody would see the result, and it takes from what the other screens need.
  onBeforeUnmount(() => void sql.cancel());

  /** The result is of another period or connection than the header names. */
  const isOfOther = computed(() => {
    const { ran } = sql;
    if (ran === null || span.value === null) return false;
    const isSame =
      ran.fromMs === span.value.fromMs && ran.toMs === span.value.toMs && ran.zone === zone.value;
    return (
      ran.connectionId !== connection.value?.id ||
      (ran.otherConnectionIds ?? []).join() !== otherIds.value.join() ||
      !isSame
    );
  });

  return {
    connection,
    zone,
    asOfMs,
    span,
    toScope,
    coverages,
    cachedDirections,
    runningMs,
    isOfOther,
    chosen,
    isSeveral,
    otherIds,
    /** What is cached of each of several connections. */
    known,
    run,
  };
}

/**
 * What of a period is cached of several connections, of the direction that has less of it; nothing is said of one alone,
 * nor while it is not known.
 */
function useSeveralCoverage(connections: () => readonly Connection[], readSpan: () => TimeSpan | null) {
  const backend = useBackend();
  const { value } = useQuery(
    () => JSON.stringify([connections().map(({ id }) => id), readSpan()]),
    async (): Promise<KnownOf[]> => {
      const span = readSpan();
      if (span === null || connections().length < 2) return [];
      const { fromMs } = span;
      // Nobody can have cached what is still to come.
      const toMs = Math.min(span.toMs, Math.floor(Date.now() / SECOND_MS) * SECOND_MS);
      if (toMs <= fromMs) return [];
      const measure = async (connectionId: string): Promise<KnownOf> => {
        const missing = await Promise.all(
          DIRECTIONS.map(async (direction) => {
            const report = `${direction}-detail` as const;
            const subject = { connectionId, report, fromMs, toMs, buckets: 1 };
            const { gaps } = await backend.call('coverage/read', subject);
            return gaps
              .filter(({ state }) => state !== 'open')
              .reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
          }),
        );
        return {
          connectionId,
          missingMs: Math.max(...missing),
          isEmpty: missing.every((ms) => ms >= toMs - fromMs),
        };
      };
      return Promise.all(connections().map(({ id }) => measure(id)));
    },
    { events: ['coverage/changed'] },
  );
  return computed(() => value.value ?? []);
}
