import { computed, type WatchSource } from 'vue';
import { useQuery } from '../../../composables/use-query.ts';
import { isSameSource, useRecordsStore, type OpenView } from '../../../stores/records/records.ts';

/** What was read, and of which view. */
export type ViewAnswer<Found> = Found & Pick<OpenView, 'viewId' | 'scope'>;

/**
 * Something that is read of the open view once its records have been counted, and `again` for other choices. `read` gets the
 * answer before, which is shown until there is another one.
 */
export function useViewAnswer<Found extends object>(
  read: (view: OpenView, before: ViewAnswer<Found> | null) => Promise<Found>,
  again: readonly WatchSource[],
) {
  const records = useRecordsStore();
  const countedId = computed(() => (records.counts === null ? null : (records.view?.viewId ?? null)));
  let last: ViewAnswer<Found> | null = null;

  const { value, error, reload } = useQuery(
    () => null,
    async () => {
      const { view } = records;
      if (countedId.value === null || view === null) return last;
      last = { ...(await read(view, last)), viewId: view.viewId, scope: view.scope };
      return last;
    },
    { again: [countedId, ...again] },
  );
  return {
    /** Null where what is known is of other records altogether. */
    answer: computed(() => {
      if (value.value === null || records.view === null) return null;
      return isSameSource(value.value.scope, records.view.scope) ? value.value : null;
    }),
    /** What is known is of another view than the open one. */
    isOlder: computed(() => value.value?.viewId !== records.view?.viewId),
    error,
    retry: reload,
  };
}
