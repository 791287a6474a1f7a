import { useTimeoutFn } from '@vueuse/core';
import { findScroller } from '../../../composables/page.ts';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { isSameRecord } from '../../../format/row-key.ts';
import { findNear, type PlacedView, type ReadRows } from './create-row-source.ts';

const MAX_HOLD_MS = 100;

interface HoldParts {
  readonly rowHeightPx: number;
  readRowCount(): number;
  /** Whether a row has its data; also makes the grid request a row that has not. */
  isLoaded(index: number): boolean;
}

/**
 * Holds back a scroll event until the rows at its target are loaded, so that the grid builds them once, filled, instead
 * of first empty. Rows that take too long are shown empty.
 */
export function createScrollHold({ rowHeightPx, readRowCount, isLoaded }: HoldParts) {
  let scroller: HTMLElement | null = null;
  let held: HTMLElement | null = null;
  let isReleasing = false;
  const timer = useTimeoutFn(() => passOn(held), MAX_HOLD_MS, { immediate: false });

  /** Whether rows are where their height puts them: a table too tall for the browser is squeezed by the grid. */
  function isExact({ scrollHeight, clientHeight }: HTMLElement, rowCount = readRowCount()): boolean {
    const isHorizontal = scrollHeight <= clientHeight;
    return !isHorizontal && scrollHeight + clientHeight >= rowCount * rowHeightPx;
  }

  /** How far down the rows in view are: a squeezed table skips what it lacks in height in proportion to its scrolling. */
  function findTopPx(target: HTMLElement): number {
    const { scrollTop, scrollHeight, clientHeight } = target;
    if (isExact(target)) return scrollTop;
    const skippedPx = readRowCount() * rowHeightPx - scrollHeight;
    return scrollTop + Math.floor((scrollTop / (scrollHeight - clientHeight)) * skippedPx);
  }

  function isReady(target: HTMLElement): boolean {
    const { clientHeight, scrollHeight } = target;
    const rowCount = readRowCount();
    if (scrollHeight <= clientHeight || rowCount === 0) return true;
    const topPx = findTopPx(target);
    const first = Math.min(rowCount - 1, Math.max(0, Math.floor(topPx / rowHeightPx)));
    const last = Math.min(rowCount - 1, Math.floor((topPx + clientHeight) / rowHeightPx));
    // Both are checked, so that both are requested.
    return [isLoaded(first), isLoaded(last)].every(Boolean);
  }

  function letGo(): void {
    timer.stop();
    held = null;
  }

  function passOn(target: HTMLElement | null): void {
    letGo();
    isReleasing = true;
    target?.dispatchEvent(new Event('scroll'));
    isReleasing = false;
  }

  return {
    /** Has to be called before the grid receives the event. */
    onScroll(event: Event): void {
      if (isReleasing || !(event.target instanceof HTMLElement)) return;
      scroller = event.target;
      if (isReady(scroller)) {
        letGo();
        return;
      }
      event.stopPropagation();
      if (held === null) timer.start();
      held = scroller;
    },
    /** Has to be called whenever rows have arrived. */
    onRows(): void {
      if (held !== null && isReady(held)) passOn(held);
    },
    /** Scrolls to the top at once; the grid's own function would repeat it with every arrival of rows. */
    toTop(): void {
      if (scroller === null) return;
      scroller.scrollTop = 0;
      passOn(scroller);
    },
    /**
     * The first row in view of the `rowCount` that the table in the box has; null where that can't be told, and at the
     * top, unless a selected row is in view there.
     */
    findFirst(rowCount: number, box: HTMLElement | null): number | null {
      const chosen = box?.querySelector<HTMLElement>('.ag-row-selected') ?? null;
      // What was never scrolled has told of nothing.
      if (chosen !== null) scroller ??= findScroller(chosen);
      if (scroller === null || !isExact(scroller, rowCount)) return null;
      if (chosen === null && scroller.scrollTop < rowHeightPx) return null;
      return Math.floor(scroller.scrollTop / rowHeightPx);
    },
    /** Scrolls by so many rows at once. */
    moveBy(rows: number): void {
      if (scroller === null) return;
      scroller.scrollTop += rows * rowHeightPx;
      passOn(scroller);
    },
    letGo,
  };
}

interface PlaceParts {
  /** The first row in view of so many in the table; null where there is nothing to keep. */
  findFirst(rowCount: number): number | null;
  moveBy(rows: number): void;
  /** The row that is shown at a place; null while it is not loaded. */
  readRow(index: number): RecordRow | null;
  readRows: ReadRows;
}

/**
 * Keeps the records in view where they are while others arrive before them. At the top, new ones come into view, unless a
 * selected one is there.
 */
export function createPlaceKeeper({ findFirst, moveBy, readRow, readRows }: PlaceParts) {
  let wanted: { readonly first: RecordRow; readonly from: number; readonly to: number } | null = null;
  let ticket = 0;

  function settle(): void {
    if (wanted === null) return;
    const { first, from, to } = wanted;
    const shown = readRow(to);
    if (shown === null || !isSameRecord(shown, first)) return;
    wanted = null;
    if (to !== from) moveBy(to - from);
  }

  return {
    /**
     * Has to be called before the rows of the view take the place of those that are shown, of which the table has
     * `shownCount`.
     */
    async keep(view: PlacedView, shownCount: number): Promise<void> {
      const mine = ++ticket;
      const from = wanted?.from ?? findFirst(shownCount);
      const first = wanted?.first ?? (from === null ? null : readRow(from));
      wanted = null;
      if (from === null || first === null) return;
      const to = await findNear(view, from, {
        isIt: (row) => isSameRecord(row, first),
        isWanted: () => mine === ticket,
        readRows,
      });
      if (mine !== ticket || to === null) return;
      wanted = { first, from, to };
      settle();
    },
    /** Has to be called whenever rows have arrived: in the same frame, so that nothing is seen to jump. */
    onRows: settle,
    forget(): void {
      ticket += 1;
      wanted = null;
    },
  };
}

/** Pixels of a wheel event are the only unit that Chromium sends. */
const PIXELS = 0;

interface Pace {
  readonly rowHeightPx: number;
  readRowCount(): number;
}

/**
 * Keeps the wheel's pace over a table that is too tall for the browser. The grid squeezes such a table, so that a
 * pixel of the scroll bar stands for several of its rows' height, and the wheel would run that much faster.
 */
export function createWheelPace({ rowHeightPx, readRowCount }: Pace) {
  let rest = 0;

  return (event: WheelEvent): void => {
    if (event.ctrlKey || event.shiftKey || event.deltaMode !== PIXELS || event.deltaY === 0) return;
    const scroller = findScrollable(event.target);
    const squeeze = scroller === null ? 1 : (readRowCount() * rowHeightPx) / scroller.scrollHeight;
    if (scroller === null || squeeze <= 1) return;
    event.preventDefault();
    rest += event.deltaY / squeeze;
    const step = Math.trunc(rest);
    // What is less than a pixel counts with the next event.
    rest -= step;
    scroller.scrollTop += step;
  };
}

/** The grid's own element that scrolls up and down. */
function findScrollable(target: EventTarget | null): HTMLElement | null {
  let element = target instanceof HTMLElement ? target : null;
  while (element !== null && !isScrolling(element)) element = element.parentElement;
  return element;
}

function isScrolling(element: HTMLElement): boolean {
  if (element.scrollHeight <= element.clientHeight) return false;
  return ['auto', 'scroll'].includes(getComputedStyle(element).overflowY);
}
