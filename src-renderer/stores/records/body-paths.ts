import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { FoundPaths } from '../../../src-main/common/model/records/body-paths.ts';
import { useBackend } from '../../backend/backend.ts';
import { createReading } from '../../composables/use-query.ts';
import { isSameSource, useRecordsStore } from './records.ts';

/** The paths in the bodies of the records of the open view, whatever its filter; they are looked for once somebody asks. */
export const useBodyPathsStore = defineStore('body-paths', () => {
  const backend = useBackend();
  const records = useRecordsStore();
  const {
    value: answer,
    error,
    isReading,
    ask,
  } = createReading<{
    readonly scope: NonNullable<typeof records.view>['scope'];
    readonly found: FoundPaths;
  }>();
  const progress = shallowRef<{ readonly read: number; readonly total: number } | null>(null);
  backend.on('records/paths-progress', ({ viewId, read, total }) => {
    if (viewId === records.view?.viewId && isReading.value) progress.value = { read, total };
  });

  /** Those of other records altogether are none. */
  const found = computed(() => {
    if (answer.value === null || records.view === null) return null;
    return isSameSource(answer.value.scope, records.view.scope) ? answer.value.found : null;
  });

  /** Reads a sample, or every record. A view that is closed meanwhile leaves what was known. */
  async function read(isExact: boolean): Promise<void> {
    const { view } = records;
    if (view === null) return;
    error.value = null;
    progress.value = null;
    const { viewId, scope } = view;
    await ask(async () => ({
      scope,
      found: await backend.call('records/find-paths', { viewId, scope, isExact }),
    }));
  }

  /** Reads a sample of the records, unless their paths are known. */
  async function ensure(): Promise<void> {
    if (found.value === null && !isReading.value) await read(false);
  }

  return { found, progress, error, isReading, read, ensure } as const;
});
