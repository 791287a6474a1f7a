import { ref } from 'vue';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { useQuery } from '../../../composables/use-query.ts';

export const ENTRIES_PER_PAGE = 50;

interface PageInput {
  readonly snapshotId: number;
  readonly offset: number;
  readonly limit: number;
}

/** Reads a list of a snapshot page by page, again when its pages change. */
export function usePages<List>(readSnapshot: () => Snapshot, read: (input: PageInput) => Promise<List>) {
  const offset = ref(0);
  const { value: list, error } = useQuery(
    () => readSnapshot().id,
    () => read({ snapshotId: readSnapshot().id, offset: offset.value, limit: ENTRIES_PER_PAGE }),
    { again: [() => readSnapshot().pageCount, () => readSnapshot().verification, offset] },
  );
  return { offset, list, error };
}
