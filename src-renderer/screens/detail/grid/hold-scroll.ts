import { useTimeoutFn } from '@vueuse/core';

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

  function isReady({ scrollTop, scrollHeight, clientHeight }: HTMLElement): boolean {
    const rowCount = readRowCount();
    const isHorizontal = scrollHeight <= clientHeight;
    // A table too tall for the browser is squeezed by the grid, so rows are not where their height puts them.
    const isSqueezed = scrollHeight + clientHeight < rowCount * rowHeightPx;
    if (isHorizontal || isSqueezed || rowCount === 0) return true;
    const first = Math.min(rowCount - 1, Math.max(0, Math.floor(scrollTop / rowHeightPx)));
    const last = Math.min(rowCount - 1, Math.floor((scrollTop + clientHeight) / rowHeightPx));
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
    letGo,
  };
}
