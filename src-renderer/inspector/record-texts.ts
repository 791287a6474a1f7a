import { useMutationObserver } from '@vueuse/core';
import {
  computed,
  type InjectionKey,
  onBeforeUnmount,
  provide,
  ref,
  type Ref,
  shallowRef,
  type ShallowRef,
  watch,
} from 'vue';
import { findFolded } from '../../src-main/common/fold-case.ts';
import type { RecordDetail } from '../../src-main/common/model/records/record.ts';
import { useBackend } from '../backend/backend.ts';
import { findScroller } from '../composables/surroundings.ts';
import { toRanges } from '../highlight/highlight.ts';

/** A piece of text of one colour. */
export interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'mark' | 'space';
  readonly text: string;
}

const PIECE = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/g;

function toKind(piece: string, next: string | undefined): JsonToken['kind'] {
  if (piece.startsWith('"')) return next === ':' ? 'key' : 'string';
  if (/^[{}[\],:]$/.test(piece)) return 'mark';
  return /^[a-z]/.test(piece) ? 'word' : 'number';
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Splits a JSON document into lines of coloured pieces, indented by two spaces; returns null when the text is not a
 * JSON object or array. Works on the text itself, so long numbers, escapes and repeated keys stay as received.
 */
export function tryFormatJson(text: string): readonly (readonly JsonToken[])[] | null {
  if (!isJson(text)) return null;
  const pieces = text.match(PIECE) ?? [];
  const lines: JsonToken[][] = [[]];
  let depth = 0;
  const startLine = () => lines.push(depth === 0 ? [] : [{ kind: 'space', text: '  '.repeat(depth) }]);
  pieces.forEach((piece, index) => {
    const next = pieces[index + 1];
    const opens = piece === '{' || piece === '[';
    const closes = piece === '}' || piece === ']';
    const previous = pieces[index - 1];
    const closesEmpty = closes && (previous === '{' || previous === '[');
    if (closes) depth -= 1;
    if (closes && !closesEmpty) startLine();
    lines.at(-1)?.push({ kind: toKind(piece, next), text: piece });
    if (opens) depth += 1;
    if (piece === ':') lines.at(-1)?.push({ kind: 'space', text: ' ' });
    if (piece === ',' || (opens && next !== '}' && next !== ']')) startLine();
  });
  return lines;
}

/** An object or array that takes several lines. */
export interface JsonFold {
  /** The line that closes it. */
  readonly end: number;
  /** Properties or elements that it holds itself. */
  readonly itemCount: number;
}

/** Finds what can be folded, by the line that opens it. */
export function findFolds(lines: readonly (readonly JsonToken[])[]): ReadonlyMap<number, JsonFold> {
  const folds = new Map<number, JsonFold>();
  const open: { start: number; itemCount: number }[] = [];
  for (const [index, line] of lines.entries()) {
    const tokens = line.filter(({ kind }) => kind !== 'space');
    const first = tokens[0]?.text ?? '';
    const last = tokens.at(-1);
    const parent = open.at(-1);
    if (first === '}' || first === ']') {
      if (parent !== undefined) folds.set(parent.start, { end: index, itemCount: parent.itemCount });
      open.pop();
    } else if (parent !== undefined) parent.itemCount += 1;
    if (last?.kind === 'mark' && (last.text === '{' || last.text === '[')) {
      open.push({ start: index, itemCount: 0 });
    }
  }
  return folds;
}

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
