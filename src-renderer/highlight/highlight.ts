import { findFolded, foldCase } from '../../src-main/common/fold-case.ts';
import {
  SEARCHED_FIELDS,
  type FilterField,
  type RecordFilter,
} from '../../src-main/common/model/records/record-filter.ts';
import { listFinding } from '../../src-main/common/query/filter-tree.ts';
import { matchesWildcard } from '../../src-main/common/query/text-tests.ts';
import { toQueryField } from '../../src-main/common/query/query-fields.ts';
import type { RecordDetail, RecordRow } from '../../src-main/common/model/records/record.ts';
import { listFields, type Direction } from '../../src-main/common/reporting/reports.ts';
import { useEventListener, useMutationObserver } from '@vueuse/core';
import { computed, onBeforeUnmount, watch, type ShallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { useFieldName } from '../messages/field-name.ts';
import './highlight.css';

/** Returns ranges over characters of what an element shows, however many elements share its text. */
export function toRanges(
  element: Element,
  find: (text: string) => readonly (readonly [from: number, to: number])[],
): Range[] {
  const nodes = listTextNodes(element);
  const text = nodes.map(({ data }) => data).join('');
  return find(text).map(([from, to]) => {
    const range = document.createRange();
    range.setStart(...toPlace(nodes, from, false));
    range.setEnd(...toPlace(nodes, to, true));
    return range;
  });
}

/** Highlights ranges under a name, for which the styles have colours; where a browser can't, nothing happens. */
export function highlight(name: string, ranges: readonly Range[]): void {
  if (typeof CSS === 'undefined' || !('highlights' in CSS)) return;
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}

function listTextNodes(element: Element): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode() !== null) nodes.push(walker.currentNode as Text);
  return nodes;
}

/** The node that holds a character, and its place there; an end stays in the node of the character before it. */
function toPlace(nodes: readonly Text[], index: number, isEnd: boolean): [Text, number] {
  let before = 0;
  for (const node of nodes) {
    const rest = index - before;
    if (rest < node.data.length || (isEnd && rest === node.data.length)) return [node, rest];
    before += node.data.length;
  }
  throw new RangeError('The place lies behind the text.');
}

/** A text that a filter looks for, and the fields that it may be found in. */
interface SearchTerm {
  readonly fields: readonly FilterField[];
  readonly text: string;
  /**
   * Where it has to be the whole value: in its own letter case, in any, or as a pattern with stars. Undefined for a part, in
   * any letter case.
   */
  readonly whole?: 'exact' | 'any-case' | 'wildcard';
}

/**
 * Returns the texts that the records of a filter may have; what it excludes they don't have. Where a regular expression
 * found something only the engine knows.
 */
export function listSearchTerms(filter: RecordFilter): readonly SearchTerm[] {
  return listFinding(filter).flatMap(({ field, text, wildcard, values = [], anyCase = [] }): SearchTerm[] => {
    const fields = field === 'anywhere' ? SEARCHED_FIELDS : [field];
    // A family's own text stands in no record.
    if (field === 'errorFamily') return [];
    const part = text === undefined ? [] : [{ fields, text }];
    if (toQueryField(field)?.kind !== 'text') return part;
    const exact = values.filter((value) => value !== null && value !== '');
    return [
      ...part,
      ...exact.map((value) => ({ fields, text: String(value), whole: 'exact' as const })),
      ...anyCase.map((value) => ({ fields, text: value, whole: 'any-case' as const })),
      ...(wildcard === undefined ? [] : [{ fields, text: wildcard, whole: 'wildcard' as const }]),
    ];
  });
}

/** Returns where a term stands in a text, each time from and to; case is ignored as by the search itself. */
export function findTerm(text: string, { text: wanted, whole }: SearchTerm): [from: number, to: number][] {
  if (whole === undefined) return findFolded(text, wanted, MAX_PLACES);
  if (whole === 'wildcard') return matchesWildcard(text, wanted) ? [[0, text.length]] : [];
  const isSame = whole === 'exact' ? text === wanted : foldCase(text) === foldCase(wanted);
  return isSame ? [[0, text.length]] : [];
}

/** Finds in one text beyond which nobody looks. */
const MAX_PLACES = 1000;

/** Fields whose texts a row of the table lacks, or holds a preview of: the text of a message, or a beginning. */
const LONG_FIELDS: readonly FilterField[] = ['payload', 'response'];

function hasTerm(text: unknown, term: SearchTerm): boolean {
  return typeof text === 'string' && findTerm(text, term).length > 0;
}

/** Returns the fields of a whole record in which any of the terms stands. */
export function findRecordFields(record: RecordDetail, terms: readonly SearchTerm[]): readonly FilterField[] {
  const found = terms.flatMap((term) => {
    const known = term.fields.filter((field) => hasTerm(record[field as keyof RecordDetail], term));
    // Nowhere else, it stands in the rest of the text that is here only in part.
    const cut = term.fields.filter((field) => field in (record.cutLengths ?? {}));
    return known.length > 0 || cut.length !== 1 ? known : cut;
  });
  return [...new Set(found)];
}

/**
 * Returns the fields in which a row was found although none of its columns in view shows why: those that hold the first
 * such term, or, where the row doesn't hold the texts, those that may. Empty where the columns show each term.
 */
export function findHiddenFields(
  row: RecordRow,
  terms: readonly SearchTerm[],
  shown: ReadonlySet<string>,
  direction: Direction,
): readonly FilterField[] {
  const present = new Set<string>(listFields(`${direction}-detail`).map(([name]) => name));
  for (const term of terms) {
    const known = term.fields.filter((field) =>
      hasTerm(field === 'payload' ? row.payloadPreview : row[field as keyof RecordRow], term),
    );
    if (known.some((field) => shown.has(field))) continue;
    if (known.length > 0) return known;
    const possible = LONG_FIELDS.filter((field) => term.fields.includes(field) && present.has(field));
    if (possible.length > 0) return possible;
  }
  return [];
}

const NAME = 'record-found-in-table';
/** The cells of the columns that stay while the others scroll. */
const PINNED = '.ag-grid-pinned-left-cells';
/** So much of a column at least makes it seen. */
const EDGE_PX = 40;
/** Between a cell's text and the name of a field that follows. */
const GAP_PX = 6;

/**
 * Highlights what the filter looks for in the cells in view, and names on each row the field in which it was found where
 * no column in view shows it. Works on what the grid has drawn, once for each frame in which that changes.
 */
export function useTableHighlight(
  table: Readonly<ShallowRef<HTMLElement | null>>,
  parts: {
    readFilter(): RecordFilter;
    readDirection(): Direction;
    /** Returns the row at a place of the table; null where it is not loaded. */
    readRow(index: number): RecordRow | null;
  },
): void {
  const { t } = useI18n();
  const toName = useFieldName();
  const terms = computed(() => listSearchTerms(parts.readFilter()));
  let frame = 0;
  let isMarked = false;

  function mark(): void {
    frame = 0;
    if (table.value === null || (terms.value.length === 0 && !isMarked)) return;
    const ranges: Range[] = [];
    const rows = Map.groupBy(table.value.querySelectorAll('.ag-row[row-index]'), (row) =>
      Number(row.getAttribute('row-index')),
    );
    const [first] = rows;
    const outside = first === undefined ? new Set<string>() : listOutside(table.value, first[1]);
    for (const [index, elements] of rows) markRow(index, elements, outside, ranges);
    highlight(NAME, ranges);
    makeRoom(table.value, [...rows.values()].flat());
    isMarked = terms.value.length > 0;
  }

  /** A row has an element for the pinned columns, and one for those that scroll. */
  function markRow(
    index: number,
    elements: readonly Element[],
    outside: ReadonlySet<string>,
    ranges: Range[],
  ): void {
    const shown = new Set<string>();
    for (const cell of elements.flatMap((element) => [...element.querySelectorAll('.ag-cell[col-id]')])) {
      const field = cell.getAttribute('col-id') ?? '';
      if (!outside.has(field)) shown.add(field);
      for (const term of terms.value) {
        if (!term.fields.some((name) => name === field)) continue;
        ranges.push(...toRanges(cell, (text) => findTerm(text, term)));
      }
    }
    const row = parts.readRow(index);
    const hidden = row === null ? [] : findHiddenFields(row, terms.value, shown, parts.readDirection());
    for (const element of elements) tell(element, hidden);
  }

  function tell(row: Element, fields: readonly FilterField[]): void {
    const names = fields.map(toName).join(t('detail.found.or'));
    if (fields.length === 0) row.removeAttribute('data-found');
    else if (row.getAttribute('data-found') !== names) row.setAttribute('data-found', names);
  }

  /**
   * The name of a field lies over the end of its row: what it would cover ends before it. Where that is, is read of one
   * row, before anything is written.
   */
  function makeRoom(box: HTMLElement, rows: readonly Element[]): void {
    const named = rows.filter((row) => row.hasAttribute('data-found'));
    const rooms = named[0] === undefined ? new Map<string, number>() : listRooms(box, named[0]);
    for (const row of rows) {
      for (const cell of row.querySelectorAll<HTMLElement>('.ag-cell[col-id]')) {
        const room = row.hasAttribute('data-found')
          ? rooms.get(cell.getAttribute('col-id') ?? '')
          : undefined;
        cell.style.paddingRight = room === undefined ? '' : `${String(room)}px`;
      }
    }
  }

  function listRooms(box: HTMLElement, row: Element): Map<string, number> {
    const { width, right } = getComputedStyle(row, '::after');
    const start = box.getBoundingClientRect().right - parseFloat(right) - parseFloat(width) - GAP_PX;
    const rooms = new Map<string, number>();
    for (const cell of row.querySelectorAll('.ag-cell[col-id]')) {
      const { left, right: end } = cell.getBoundingClientRect();
      const isSeen = left + EDGE_PX < start && cell.closest(PINNED) === null;
      if (isSeen && end > start) rooms.set(cell.getAttribute('col-id') ?? '', Math.ceil(end - start));
    }
    return rooms;
  }

  /** The grid also draws columns a little beside those in view; of a row they stand for all rows. */
  function listOutside(box: HTMLElement, row: readonly Element[]): Set<string> {
    const { left, right, width } = box.getBoundingClientRect();
    const pinned = row.flatMap((element) => [...element.querySelectorAll(PINNED)]);
    const from = pinned.reduce((end, part) => Math.max(end, part.getBoundingClientRect().right), left);
    const cells = row.flatMap((element) => [...element.querySelectorAll('.ag-cell[col-id]')]);
    const hidden = cells.filter((cell) => {
      const place = cell.getBoundingClientRect();
      const isPinned = cell.closest(PINNED) !== null;
      return width > 0 && !isPinned && (place.left > right - EDGE_PX || place.right < from + EDGE_PX);
    });
    return new Set(hidden.map((cell) => cell.getAttribute('col-id') ?? ''));
  }

  function markSoon(): void {
    if (frame === 0) frame = requestAnimationFrame(mark);
  }

  useMutationObserver(table, markSoon, { childList: true, characterData: true, subtree: true });
  useEventListener(table, 'scroll', markSoon, { capture: true, passive: true });
  watch([terms, table], markSoon, { flush: 'post', immediate: true });
  onBeforeUnmount(() => {
    cancelAnimationFrame(frame);
    highlight(NAME, []);
  });
}
