import { useTimeoutFn } from '@vueuse/core';
import { findScroller } from '../../../composables/find-scroller.ts';

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
