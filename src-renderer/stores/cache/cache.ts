import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { CacheState } from '../../../src-main/common/model/cache/cache-state.ts';
import { useBackend } from '../../backend/backend.ts';
import { useDownloadsStore } from './downloads.ts';
import { useSnapshotsStore } from './snapshots.ts';

/** The state of the cache as a whole: its space, its health, what retention removed. */
export const useCacheStore = defineStore('cache', () => {
  const backend = useBackend();
  const downloads = useDownloadsStore();
  const snapshots = useSnapshotsStore();
  const state = shallowRef<CacheState | null>(null);

  backend.on('cache/changed', put);

  async function load(): Promise<void> {
    state.value = await backend.call('cache/read-state', null);
  }

  /** Tries to write again now; rejects with the core's error. */
  async function retry(): Promise<void> {
    put(await backend.call('cache/retry', null));
  }

  /** Returns unneeded space to the disk; resolves to its size in bytes. */
  async function reclaim(): Promise<number> {
    const { freedBytes } = await backend.call('cache/reclaim', null);
    await snapshots.loadStorage();
    return freedBytes;
  }

  function put(next: CacheState): void {
    const isReopened = state.value !== null && state.value.startedAtMs !== next.startedAtMs;
    state.value = next;
    if (isReopened) void Promise.all([snapshots.load(), downloads.load()]).catch(() => undefined);
  }

  return { state, load, retry, reclaim } as const;
});
