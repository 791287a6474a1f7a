import { computed } from 'vue';
import { useRoute, useRouter } from 'vue-router';

/** The snapshot that was opened by itself, which the address carries. */
export function usePinnedSnapshot(readReport: () => string) {
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
