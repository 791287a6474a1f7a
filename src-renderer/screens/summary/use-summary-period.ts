import { computed, shallowRef } from 'vue';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-scope.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { isReadable, isSamePeriod, isTouching, listUsable } from '../../period/cached-snapshots.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { usePeriodStore } from '../../stores/window/period.ts';
import { useSnapshotsStore } from '../../stores/cache/snapshots.ts';

/** The period of a Summary screen, and what is cached of it for both sources. */
export function useSummaryPeriod(readDirection: () => Direction) {
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
