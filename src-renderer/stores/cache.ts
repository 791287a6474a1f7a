import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { CacheState } from '../../src-main/common/model/cache-state.ts';
import { useBackend } from '../backend/backend.ts';
import { useDownloadsStore } from './downloads.ts';
import { useSnapshotsStore } from './snapshots.ts';

/** How the cache as a whole is: room, damage, what retention removed. */
export const useCacheStore = defineStore('cache', () => {
  const backend = useBackend();
  const downloads = useDownloadsStore();
  const snapshots = useSnapshotsStore();
  const state = shallowRef<CacheState | null>(null);

  /** Reads the state and keeps listening; the answer stops that. */
  async function start(): Promise<() => void> {
    const stop = backend.on('cache/changed', put);
    state.value = await backend.call('cache/read-state', null);
    return stop;
  }

  /** Tries to write again now; rejects with the core's error. */
  async function retry(): Promise<void> {
    put(await backend.call('cache/retry', null));
  }

  /** Gives the disk back what nothing needs, in bytes. */
  async function reclaim(): Promise<number> {
    const { freedBytes } = await backend.call('cache/reclaim', null);
    await snapshots.loadStorage();
    return freedBytes;
  }

  function put(next: CacheState): void {
    const isAnother = state.value !== null && state.value.startedAtMs !== next.startedAtMs;
    state.value = next;
    if (isAnother) void Promise.all([snapshots.load(), downloads.load()]).catch(() => undefined);
  }

  return { state, start, retry, reclaim };
});
