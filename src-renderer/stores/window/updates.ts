import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { UpdateState } from '../../../src-main/common/contract/operations/updates.ts';
import { useBackend } from '../../backend/backend.ts';

/** Newer versions of the application, as far as anybody has asked. */
export const useUpdatesStore = defineStore('updates', () => {
  const backend = useBackend();
  const state = shallowRef<UpdateState | null>(null);

  /** Whether a newer version could be had here at all. */
  const canUpdate = computed(() => state.value !== null && state.value.obstacle === null);
  /** The newer version that a person should know of; null while there is none. */
  const waiting = computed(() => state.value?.found ?? null);

  backend.on('updates/changed', (changed) => (state.value = changed));

  async function load(): Promise<void> {
    state.value = await backend.call('updates/get-state', null);
  }

  return {
    state,
    canUpdate,
    waiting,
    load,
    check: () => backend.call('updates/check', null),
    download: () => backend.call('updates/download', null),
    cancelDownload: () => backend.call('updates/cancel-download', null),
    install: () => backend.call('updates/install', null),
  } as const;
});
