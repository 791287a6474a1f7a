import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type {
  ConflictChoice,
  SharedChoice,
  SharedWork,
} from '../../../src-main/common/model/shared/shared-work.ts';
import { useBackend } from '../../backend/backend.ts';

/** What a team shares in a linked folder, and how that stands. */
export const useSharedWorkStore = defineStore('shared-work', () => {
  const backend = useBackend();
  const work = shallowRef<SharedWork | null>(null);

  backend.on('shared-work/changed', (changed) => (work.value = changed));

  /** Something waits for a person, or the folder can't be looked at. */
  const needsCare = computed(() => {
    if (work.value === null) return false;
    const { state, conflicts, problems, removals, foreign } = work.value;
    if (state === 'none') return false;
    const isAway = state === 'gone' || state === 'emptied' || state === 'failed';
    const count = conflicts.length + problems.length + foreign.length + removals.here + removals.folder;
    return isAway || count > 0;
  });

  async function follow(answer: Promise<SharedWork>): Promise<void> {
    work.value = await answer;
  }

  return {
    work,
    needsCare,
    load: () => follow(backend.call('shared-work/read', null)),
    choose: () => backend.call('shared-work/choose-folder', null),
    link: (choice: SharedChoice) => follow(backend.call('shared-work/link', choice)),
    unlink: () => follow(backend.call('shared-work/unlink', null)),
    look: () => follow(backend.call('shared-work/look', null)),
    resolve: (conflictId: string, choice: ConflictChoice) =>
      follow(backend.call('shared-work/resolve', { conflictId, choice })),
    replaceFile: (file: string) => follow(backend.call('shared-work/replace-file', { file })),
    answerRemovals: (answer: 'delete' | 'restore') =>
      follow(backend.call('shared-work/answer-removals', { answer })),
    planExport: (choice: SharedChoice) => backend.call('shared-work/plan-export', choice),
    planImport: (choice: SharedChoice) => backend.call('shared-work/plan-import', choice),
    exportOnce: (choice: SharedChoice, replace: string[]) =>
      backend.call('shared-work/export', { choice, replace }),
    importOnce: (choice: SharedChoice, take: string[]) =>
      backend.call('shared-work/import', { choice, take }),
    listKept: () => backend.call('shared-work/list-kept', null),
    restore: (keptId: string) => follow(backend.call('shared-work/restore', { keptId })),
    reveal: (folder: string) => backend.call('shared-work/reveal-folder', { folder }),
  } as const;
});
