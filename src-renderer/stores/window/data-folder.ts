import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type {
  DataFolderPlace,
  FolderMove,
} from '../../../src-main/common/contract/operations/data-folder.ts';
import { useBackend } from '../../backend/backend.ts';

/** Where the data folder is, and how far its move is. */
export const useDataFolderStore = defineStore('data-folder', () => {
  const backend = useBackend();
  const place = shallowRef<DataFolderPlace | null>(null);
  const move = shallowRef<FolderMove | null>(null);

  /** The folder of the start decides, so nothing can be chosen here. */
  const isGiven = computed(() => place.value?.chosenBy === 'start');

  backend.on('data-folder/move-changed', (changed) => (move.value = changed));

  async function load(): Promise<void> {
    place.value = await backend.call('data-folder/read-place', null);
    move.value = place.value.move;
  }

  async function removePrevious(): Promise<void> {
    place.value = await backend.call('data-folder/remove-previous', null);
  }

  async function removeUnfinished(): Promise<void> {
    place.value = await backend.call('data-folder/remove-unfinished', null);
  }

  async function keepDefault(): Promise<void> {
    place.value = await backend.call('data-folder/keep-default', null);
  }

  return {
    place,
    move,
    isGiven,
    load,
    removePrevious,
    removeUnfinished,
    keepDefault,
    choose: () => backend.call('data-folder/choose-target', null),
    check: (folder: string) => backend.call('data-folder/check-target', { folder }),
    start: (folder: string) => backend.call('data-folder/start-move', { folder }),
    cancel: () => backend.call('data-folder/cancel-move', null),
    startAgain: () => backend.call('data-folder/start-again', null),
    usePrevious: () => backend.call('data-folder/use-previous', null),
  } as const;
});
