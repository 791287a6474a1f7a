import { computed, inject, nextTick, ref, shallowRef, watch } from 'vue';
import { findFolds, type JsonFold, type JsonToken } from './json-lines.ts';
import { isSearchingKey } from './use-record-search.ts';

/** A line that is shown; a folded one ends with what closes it. */
export interface ShownLine {
  readonly index: number;
  readonly tokens: readonly JsonToken[];
  readonly fold: JsonFold | null;
  readonly closing: readonly JsonToken[] | null;
}

/** Folds objects and arrays of a document. Up and down move between them, left folds one, right unfolds it. */
export function useJsonFolds(readLines: () => readonly (readonly JsonToken[])[]) {
  const isSearching = inject(isSearchingKey, ref(false));
  const folds = computed(() => findFolds(readLines()));
  const folded = shallowRef<ReadonlySet<number>>(new Set());
  /** The fold that Tab reaches; the arrows reach the others. */
  const current = ref(0);

  const shown = computed(() => {
    const lines = readLines();
    const result: ShownLine[] = [];
    for (let index = 0; index < lines.length; index += 1) {
      const fold = folds.value.get(index) ?? null;
      const isFolded = fold !== null && !isSearching.value && folded.value.has(index);
      const closing = isFolded ? (lines[fold.end] ?? []).filter(({ kind }) => kind !== 'space') : null;
      result.push({ index, tokens: lines[index] ?? [], fold, closing });
      if (isFolded) index = fold.end;
    }
    return result;
  });

  function set(index: number, isFolded: boolean): void {
    const next = new Set(folded.value);
    if (isFolded) next.add(index);
    else next.delete(index);
    folded.value = next;
    current.value = index;
  }

  function toggle(index: number): void {
    set(index, !folded.value.has(index));
  }

  async function pressKey(event: KeyboardEvent): Promise<void> {
    const list = event.currentTarget as HTMLElement;
    const places = shown.value.filter(({ fold }) => fold !== null).map(({ index }) => index);
    const at = places.indexOf(current.value);
    const moves: Readonly<Record<string, number>> = {
      ArrowUp: at - 1,
      ArrowDown: at + 1,
      Home: 0,
      End: places.length - 1,
    };
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      set(current.value, event.key === 'ArrowLeft');
    } else if (event.key in moves) current.value = places[moves[event.key] ?? 0] ?? current.value;
    else return;
    event.preventDefault();
    await nextTick();
    list.querySelector<HTMLElement>('[aria-expanded][tabindex="0"]')?.focus();
  }

  watch(readLines, () => {
    folded.value = new Set();
    current.value = 0;
  });

  return { shown, current, toggle, pressKey };
}
