import { useMutationObserver } from '@vueuse/core';
import {
  computed,
  onBeforeUnmount,
  provide,
  ref,
  shallowRef,
  watch,
  type InjectionKey,
  type Ref,
  type ShallowRef,
} from 'vue';
import { findScroller } from '../composables/page.ts';
import { findFolded } from '../../src-main/common/fold-case.ts';
import { toRanges } from '../highlight/highlight.ts';
import type { RecordDetail } from '../../src-main/common/model/records/record.ts';
import { useBackend } from '../backend/backend.ts';

/** Elements whose text is searched, each by itself. */
const SEARCHED = '[data-searched]';

/** Finds a text, whatever its case, in what an element shows; one range for each find, in the order of the page. */
function findMatches(root: HTMLElement, query: string): Range[] {
  if (query === '') return [];
  return [...root.querySelectorAll(SEARCHED)].flatMap((element) =>
    toRanges(element, (text) => findFolded(text, query, Infinity)),
  );
}

/** True while the record is searched: nothing of it is folded or cut then. */
export const isSearchingKey: InjectionKey<Ref<boolean>> = Symbol('is searching');

const ALL_NAME = 'record-match';
const CURRENT_NAME = 'record-match-current';

/** The search in what the inspector shows of a record. */
export function useRecordSearch(root: Readonly<ShallowRef<HTMLElement | null>>) {
  const query = ref('');
  const isOpen = ref(false);
  const matches = shallowRef<readonly Range[]>([]);
  const place = ref(0);
  const text = computed(() => (isOpen.value ? query.value : ''));
  provide(
    isSearchingKey,
    computed(() => text.value !== ''),
  );

  function find(): void {
    matches.value = root.value === null ? [] : findMatches(root.value, text.value);
    place.value = Math.min(place.value, Math.max(0, matches.value.length - 1));
  }

  /** Marks what was found. A browser that can't leaves it unmarked, and still scrolls to it. */
  function mark(): void {
    if (!('highlights' in CSS)) return;
    const current = matches.value[place.value];
    CSS.highlights.set(ALL_NAME, new Highlight(...matches.value));
    CSS.highlights.set(CURRENT_NAME, new Highlight(...(current === undefined ? [] : [current])));
  }

  function reveal(): void {
    const current = matches.value[place.value];
    const element = current?.startContainer.parentElement;
    if (current === undefined || element === null || element === undefined) return;
    element.scrollIntoView({ block: 'nearest' });
    // A long text is one element, of which the match is a small part.
    for (let box = findScroller(element); ; box = findScroller(box.parentElement ?? box)) {
      const [match, view] = [current.getBoundingClientRect(), box.getBoundingClientRect()];
      if (match.top < view.top || match.bottom > view.bottom) {
        box.scrollTop += match.top - view.top - box.clientHeight / 2;
      }
      if (box === root.value || !root.value?.contains(box)) return;
    }
  }

  /** Goes to the next find, or the previous one; from the last on to the first. */
  function step(by: -1 | 1): void {
    const { length } = matches.value;
    if (length === 0) return;
    place.value = (place.value + by + length) % length;
    reveal();
  }

  watch(
    text,
    () => {
      place.value = 0;
      find();
      reveal();
    },
    { flush: 'post' },
  );
  // Another record, a section that was opened, lines that were unfolded.
  useMutationObserver(root, find, { childList: true, characterData: true, subtree: true });
  watch([matches, place], mark);
  onBeforeUnmount(() => {
    matches.value = [];
    mark();
  });

  return { query, isOpen, count: computed(() => matches.value.length), place, step } as const;
}

/** Reads the texts of a record in full, which the record itself may hold the beginning of only. */
export function useWholeTexts(readRecord: () => RecordDetail | null) {
  const backend = useBackend();

  async function readWhole(): Promise<RecordDetail> {
    const record = readRecord();
    if (record === null) throw new Error('No record is shown.');
    if (record.cutLengths === undefined) return record;
    const { snapshotId, seq } = record;
    return backend.call('records/read-record', { snapshotId, seq, whole: true });
  }

  return {
    readWhole,
    readPayload: async () => (await readWhole()).payload,
    readResponse: async () => (await readWhole()).response ?? '',
  };
}
