import { useDebounceFn } from '@vueuse/core';
import { computed, ref, watch, type ComputedRef, type Ref } from 'vue';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { parseQuery, type ParsedQuery } from '../../../../src-main/common/query/parse-query.ts';
import type { FindNamed, QueryClock } from '../../../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../../../src-main/common/query/write-query.ts';

const APPLY_DELAY_MS = 250;

/** The text of the query line, which mirrors the filter: what is typed is applied as soon as it can be understood. */
export function useQueryText({
  readFilter,
  readClock,
  apply,
  isHeld,
  findNamed,
}: {
  readonly readFilter: () => RecordFilter;
  readonly readClock: () => QueryClock;
  readonly apply: (filter: RecordFilter) => void;
  /** While this holds, what is typed waits to be committed. */
  readonly isHeld: () => boolean;
  readonly findNamed: FindNamed;
}): {
  readonly text: Ref<string>;
  /**
   * What the text says; once the person has paused also what is wrong with it, while the last good filter stays applied,
   * or what was perhaps meant.
   */
  readonly shown: ComputedRef<Omit<ParsedQuery, 'filter'>>;
  /** Has to be called when the person has changed the text. */
  onTyped(): void;
  /** Applies the text at once. */
  commit(): void;
  /** Goes back to the filter that is applied. */
  revert(): void;
} {
  const write = (): string => writeQuery(readFilter(), readClock());
  const text = ref(write());
  const parsed = computed(() => parseQuery(text.value, readClock(), findNamed));
  const isPaused = ref(true);
  let applied = JSON.stringify(readFilter().conditions);

  function commit(): void {
    isPaused.value = true;
    const { filter, error } = parsed.value;
    const next = JSON.stringify(filter.conditions);
    if (error !== null || next === applied) return;
    applied = next;
    apply(filter);
  }

  const commitSoon = useDebounceFn(() => {
    if (!isPaused.value && !isHeld()) commit();
  }, APPLY_DELAY_MS);

  function onTyped(): void {
    isPaused.value = false;
    void commitSoon();
  }

  function revert(): void {
    isPaused.value = true;
    applied = JSON.stringify(readFilter().conditions);
    text.value = write();
  }

  watch(readFilter, (filter) => {
    // The filter that came from here leaves the text as it was typed.
    if (JSON.stringify(filter.conditions) !== applied) revert();
  });
  watch(readClock, revert);

  return {
    text,
    shown: computed(() => {
      const { words, error, hint } = parsed.value;
      return isPaused.value ? { words, error, hint } : { words, error: null, hint: null };
    }),
    onTyped,
    commit,
    revert,
  };
}
