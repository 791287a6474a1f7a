import { computed, type WritableComputedRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { toQueryText, withQueryText } from './query-text.ts';

/**
 * A choice that the address of a screen carries: back and forward undo and redo it. Null where it names none; `options` is
 * the list of them, or knows one.
 */
export function useAddressChoice<Option extends string>(
  name: string,
  options: readonly Option[] | ((text: string) => text is Option),
): WritableComputedRef<Option | null> {
  const route = useRoute();
  const router = useRouter();
  const find = (text: string): Option | null => {
    if (typeof options === 'function') return options(text) ? text : null;
    return options.find((option) => option === text) ?? null;
  };
  return computed({
    get: () => find(toQueryText(route.query, name)),
    set: (next) => {
      if (next === toQueryText(route.query, name)) return;
      void router.push({ params: route.params, query: withQueryText(route.query, name, next ?? '') });
    },
  });
}
