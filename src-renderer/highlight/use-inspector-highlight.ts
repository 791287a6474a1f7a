import { useMutationObserver } from '@vueuse/core';
import { computed, onBeforeUnmount, watch, type ComputedRef, type ShallowRef } from 'vue';
import type { RecordDetail } from '../../src-main/common/model/records/record.ts';
import type { FilterField, RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import { findRecordFields } from './find-fields.ts';
import './highlight.css';
import { findTerm, listSearchTerms } from './search-terms.ts';
import { highlight, toRanges } from './text-ranges.ts';

const NAME = 'record-found-in-inspector';

/**
 * Highlights what the filter looks for in what the inspector shows of a record, field by field (`data-field`), and
 * returns the fields in which it stands, also where folding or formatting keeps it from being seen.
 */
export function useInspectorHighlight(
  body: Readonly<ShallowRef<HTMLElement | null>>,
  readFilter: () => RecordFilter,
  readRecord: () => RecordDetail | null,
): ComputedRef<readonly FilterField[]> {
  const terms = computed(() => listSearchTerms(readFilter()));

  function mark(): void {
    const root = body.value;
    const ranges = terms.value.flatMap((term) =>
      term.fields.flatMap((field) => {
        const shown = root?.querySelectorAll(`[data-field="${field}"] [data-searched]`) ?? [];
        return [...shown].flatMap((element) => toRanges(element, (text) => findTerm(text, term)));
      }),
    );
    highlight(NAME, ranges);
  }

  useMutationObserver(body, mark, { childList: true, characterData: true, subtree: true });
  watch([terms, body, readRecord], mark, { flush: 'post', immediate: true });
  onBeforeUnmount(() => highlight(NAME, []));

  return computed(() => {
    const record = readRecord();
    return record === null ? [] : findRecordFields(record, terms.value);
  });
}
