import { computed, type ComputedRef } from 'vue';
import { useRoute, useRouter, type LocationQuery } from 'vue-router';
import type { ChipFilter } from './filter-query.ts';
import { changeFilter, fromQuery, toQuery, type FilterChange } from './filter-query.ts';

/** The filter that the address of the screen carries. */
export function useRecordFilter(): {
  readonly filter: ComputedRef<ChipFilter>;
  /** Changes some parts of the filter and keeps the others. */
  setFilter(change: FilterChange): void;
  replaceFilter(next: ChipFilter): void;
} {
  const route = useRoute();
  const router = useRouter();
  // Compared as text, so that the filter stays the same object while the address says the same.
  const text = computed(() => JSON.stringify(toQuery(fromQuery(route.query))));
  const filter = computed(() => fromQuery(JSON.parse(text.value) as LocationQuery));

  function replaceFilter(next: ChipFilter): void {
    void router.replace({ params: route.params, query: toQuery(next) });
  }

  function setFilter(change: FilterChange): void {
    replaceFilter(changeFilter(filter.value, change));
  }

  return { filter, setFilter, replaceFilter };
}
