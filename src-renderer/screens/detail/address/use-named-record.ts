import { useThrottleFn } from '@vueuse/core';
import { computed, watch } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { toQueryText, withQueryText } from '../../../address/query-text.ts';
import { fromRowKey, toRowKey } from '../../../format/row-key.ts';

type Key = NonNullable<ReturnType<typeof fromRowKey>>;

/** Browsers refuse an address that changes as fast as a held key moves. */
const NAMING_INTERVAL_MS = 300;

/**
 * The record that the address names. `show` is called with it when it is opened and when another one is named, and with
 * null where none is, or where another place is looked at.
 */
export function useNamedRecord(
  readPlace: () => readonly unknown[],
  show: (record: Key | null) => void,
): { name(record: Key): void } {
  const route = useRoute();
  const router = useRouter();
  const text = computed(() => toQueryText(route.query, 'record'));
  const place = computed(() => JSON.stringify(readPlace()));
  /** What was selected here is shown already, also while the address follows. */
  let selected = { text: '', place: '' };
  let written = '';

  const follow = useThrottleFn(
    () => {
      if (text.value === selected.text || place.value !== selected.place) return;
      written = selected.text;
      void router.replace({ params: route.params, query: withQueryText(route.query, 'record', written) });
    },
    NAMING_INTERVAL_MS,
    true,
  );

  watch(
    [text, place],
    ([named, at], [, before]) => {
      if (at === before && named === written) return;
      selected = { text: named, place: at };
      written = named;
      show(fromRowKey(named));
    },
    { immediate: true },
  );

  return {
    name(record) {
      selected = { text: toRowKey(record), place: place.value };
      void follow();
    },
  };
}
