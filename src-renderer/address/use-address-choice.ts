import { computed, type WritableComputedRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { toQueryText, withQueryText } from './query-text.ts';

/** A choice that the address of a screen carries: back and forward undo and redo it. Null where it names none. */
export function useAddressChoice<Option extends string>(
  name: string,
  options: readonly Option[],
): WritableComputedRef<Option | null> {
  const route = useRoute();
  const router = useRouter();
  return computed({
    get: () => options.find((option) => option === toQueryText(route.query, name)) ?? null,
    set: (next) => {
      if (next === toQueryText(route.query, name)) return;
      void router.push({ params: route.params, query: withQueryText(route.query, name, next ?? '') });
    },
  });
}
