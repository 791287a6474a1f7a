import { computed, shallowRef, watch } from 'vue';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { PeriodScope, RecordScope } from '../../../src-main/common/model/records/record-scope.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { isTouching, listUsable } from '../../period/cached-snapshots.ts';
import { useSnapshotsStore } from '../../stores/cache/snapshots.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { usePeriodStore } from '../../stores/window/period.ts';
import { useRoute, useRouter } from 'vue-router';

/** The snapshot that was opened by itself, which the address carries. */
function usePinnedSnapshot(readReport: () => string) {
  const route = useRoute();
  const router = useRouter();

  /** Null where the period is shown. */
  const pinnedId = computed(() => {
    const given = Number(route.params['snapshotId']);
    return Number.isInteger(given) && given > 0 ? given : null;
  });

  /** Shows one snapshot by itself; null goes back to everything cached of the period. */
  function pin(snapshotId: number | null): void {
    const params = { snapshotId: snapshotId === null ? null : String(snapshotId) };
    void router.push({ name: readReport(), params, query: route.query });
  }

  return { pinnedId, pin };
}

export type DetailScope = ReturnType<typeof useDetailScope>;

/** Which records a Detail screen shows: everything cached of the period, or one snapshot that was opened by itself. */
export function useDetailScope(readDirection: () => Direction) {
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const snapshots = useSnapshotsStore();

  const connection = computed(() => connections.active);
  const report = computed(() => `${readDirection()}-detail` as const);
  const { pinnedId, pin } = usePinnedSnapshot(() => report.value);
  /** A period that moves with the clock stands still until something new is there to show. */
  const asOfMs = shallowRef(Date.now());
  const period = computed(() =>
    connection.value === null ? null : periods.toPeriod(asOfMs.value, connection.value),
  );
  /** The snapshots that hold anything to show, of any period. */
  const usable = computed(() =>
    connection.value === null ? [] : listUsable(snapshots.snapshots ?? [], connection.value.id, report.value),
  );
  /** The snapshot that was opened by itself; null where the period is shown. */
  const snapshot = computed<Snapshot | null>(() =>
    pinnedId.value === null ? null : (usable.value.find(({ id }) => id === pinnedId.value) ?? null),
  );
  /** What of the period is cached, the newest first. */
  const parts = computed(() => {
    const wanted = period.value;
    if (pinnedId.value !== null) return snapshot.value === null ? [] : [snapshot.value];
    return wanted === null ? [] : usable.value.filter((one) => isTouching(one.period, wanted));
  });
  const periodScope = computed<PeriodScope | null>(() => {
    if (pinnedId.value !== null || connection.value === null || period.value === null) return null;
    const { fromMs, toMs } = period.value;
    // Periods are picked with their last second.
    return { connectionId: connection.value.id, report: report.value, fromMs, toMs: toMs + 1000 };
  });
  const scope = computed<RecordScope | null>(() =>
    snapshot.value === null ? periodScope.value : { snapshotId: snapshot.value.id },
  );

  /** Lets a period that moves with the clock end now. */
  function moveOn(): void {
    asOfMs.value = Date.now();
  }

  watch(() => periods.selection, moveOn);

  return {
    connection,
    report,
    period,
    asOfMs,
    usable,
    pinnedId,
    snapshot,
    parts,
    periodScope,
    scope,
    pin,
    moveOn,
  };
}
