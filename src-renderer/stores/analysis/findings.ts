import { useThrottleFn } from '@vueuse/core';
import { defineStore } from 'pinia';
import { computed, shallowRef, watch } from 'vue';
import type { FindingsReport } from '../../../src-main/common/model/analysis/finding.ts';
import { useBackend } from '../../backend/backend.ts';
import { oneAtATime } from '../../backend/one-at-a-time.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import { useConnectionsStore } from '../connections/connections.ts';

/** Days of records are counted each time: it must not be repeated with every page of a running download. */
const RELOAD_INTERVAL_MS = 4_000;

interface Loaded {
  readonly connectionId: string;
  readonly report: FindingsReport;
  readonly atMs: number;
}

/** What stands out in the traffic of the active connection, on every screen. */
export const useFindingsStore = defineStore('findings', () => {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const loaded = shallowRef<Loaded | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  let lastStates = '';
  /** How often something has happened that findings may come from. */
  let changes = 0;

  const own = computed(() => (loaded.value?.connectionId === connections.active?.id ? loaded.value : null));
  /** Null until it has been read for the connection that is shown. */
  const report = computed(() => own.value?.report ?? null);
  /** When it was read; null before it was. */
  const readAtMs = computed(() => own.value?.atMs ?? null);

  async function read(): Promise<void> {
    const connectionId = connections.active?.id;
    if (connectionId === undefined) return;
    const changesBefore = changes;
    try {
      const found = await backend.call('findings/list', { connectionId });
      if (connections.active?.id !== connectionId) return;
      error.value = null;
      // It was read before the download came that it would ask for; it is read again.
      if (found.untilMs === null && changes !== changesBefore) return;
      loaded.value = { connectionId, report: found, atMs: Date.now() };
    } catch (cause) {
      if (connections.active?.id === connectionId) error.value = toErrorLike(cause);
    }
  }

  const reload = oneAtATime(read);
  const reloadLater = useThrottleFn(() => void reload(), RELOAD_INTERVAL_MS, true);
  const reloadSoon = (): void => {
    changes += 1;
    if (report.value?.untilMs !== null) {
      void reloadLater();
      return;
    }
    // Nothing was cached: the panel must not go on asking for the download that has come.
    loaded.value = null;
    void reload();
  };
  const isActive = (connectionId: string): boolean => connections.active?.id === connectionId;
  backend.on('snapshots/changed', (snapshot) => {
    if (isActive(snapshot.connectionId)) reloadSoon();
  });
  backend.on('snapshots/removed', reloadSoon);
  backend.on('status/checked', ({ connectionId, platform, connector }) => {
    const states = `${connectionId} ${platform} ${connector}`;
    if (!isActive(connectionId) || (states === lastStates && error.value === null)) return;
    lastStates = states;
    reloadSoon();
  });
  watch(
    () => connections.active?.id,
    () => {
      error.value = null;
      void reload();
    },
    { immediate: true },
  );

  return { report, readAtMs, error, reload } as const;
});
