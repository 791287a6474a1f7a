import { watchThrottled } from '@vueuse/core';
import { computed, shallowRef, watch } from 'vue';
import type { SqlTableCounts } from '../../../../src-main/common/model/records/sql.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { useBackend } from '../../../backend/backend.ts';
import { useConnectionsStore } from '../../../stores/connections/connections.ts';
import { useSnapshotsStore } from '../../../stores/cache/snapshots.ts';

const RELOAD_INTERVAL_MS = 2000;

/** How many rows each table has of a period of the active connection; null until that is known. */
export function useTableCounts(readSpan: () => TimeSpan | null) {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const snapshots = useSnapshotsStore();
  const found = shallowRef<{ readonly key: string; readonly counts: SqlTableCounts } | null>(null);
  const period = computed(() => {
    const { active } = connections;
    const span = readSpan();
    return active === null || span === null ? null : { connectionId: active.id, ...span };
  });
  const key = computed(() => JSON.stringify(period.value));

  async function load(): Promise<void> {
    const wanted = key.value;
    if (period.value === null) return;
    try {
      const counts = await backend.call('sql/count-tables', period.value);
      if (key.value === wanted) found.value = { key: wanted, counts };
    } catch {
      // The tables can be read without it: a statement says what is wrong.
      if (key.value === wanted) found.value = null;
    }
  }

  watch(key, load, { immediate: true });
  watchThrottled(
    () =>
      (snapshots.snapshots ?? [])
        .map(({ id, state, recordCount }) => [id, state, recordCount].join())
        .join(';'),
    load,
    { throttle: RELOAD_INTERVAL_MS },
  );

  return computed(() => (found.value?.key === key.value ? found.value.counts : null));
}
