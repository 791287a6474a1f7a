import { useEventListener, useMutationObserver } from '@vueuse/core';
import { computed, onBeforeUnmount, watch, type ShallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import type { RecordRow } from '../../src-main/common/model/records/record.ts';
import type { FilterField, RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';
import { findHiddenFields } from './find-fields.ts';
import { useFieldName } from '../messages/field-name.ts';
import './highlight.css';
import { findTerm, listSearchTerms } from './search-terms.ts';
import { highlight, toRanges } from './text-ranges.ts';

const NAME = 'record-found-in-table';
/** The cells of the columns that stay while the others scroll. */
const PINNED = '.ag-grid-pinned-left-cells';
/** So much of a column at least makes it seen. */
const EDGE_PX = 40;

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
