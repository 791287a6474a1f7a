import { computed, type ComputedRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import type { RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import { toQueryText, withQueryText } from '../address/query-text.ts';
import { fromAddress, toAddress } from './filter-address.ts';

/** Changes that follow each other faster, as typing does, are one step back. */
const STEP_MS = 1500;

/** The filter that the address of the screen carries; back and forward undo and redo its changes. */
export function useRecordFilter(): {
  readonly filter: ComputedRef<RecordFilter>;
  /** A `gradual` change is one of many that lead to a filter, such as a typed letter. */
  setFilter(next: RecordFilter, pace?: 'gradual'): void;
} {
  const route = useRoute();
  const router = useRouter();
  const text = computed(() => toQueryText(route.query, 'q'));
  const filter = computed(() => fromAddress({ q: text.value }));
  let last = { text: '', atMs: -Infinity };

  function setFilter(next: RecordFilter, pace?: 'gradual'): void {
    const { q: nextText = '' } = toAddress(next);
    if (nextText === text.value) return;
    const nowMs = Date.now();
    const continues = pace === 'gradual' && last.text === text.value && nowMs - last.atMs < STEP_MS;
    last = { text: nextText, atMs: pace === 'gradual' ? nowMs : -Infinity };
    const target = { params: route.params, query: withQueryText(route.query, 'q', nextText) };
    void (continues ? router.replace(target) : router.push(target));
  }

  return { filter, setFilter };
}
