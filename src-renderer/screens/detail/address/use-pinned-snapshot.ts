import { computed, watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { useSnapshotsStore } from '../../../stores/cache/snapshots.ts';
import { useConnectionsStore } from '../../../stores/connections/connections.ts';

/** The snapshot that was opened by itself, which the address carries. */
export function usePinnedSnapshot(readReport: () => string) {
  const route = useRoute();
  const router = useRouter();
  const connections = useConnectionsStore();
  const snapshots = useSnapshotsStore();

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

  watch(
    () => connections.active?.id,
    (id) => {
      const pinned = snapshots.snapshots?.find((one) => one.id === pinnedId.value);
      // A snapshot of the connection that was left would leave the screen empty.
      if (pinned !== undefined && pinned.connectionId !== id) pin(null);
    },
  );

  return { pinnedId, pin };
}
