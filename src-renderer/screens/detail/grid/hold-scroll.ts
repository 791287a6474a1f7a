const LONGEST_HOLD_MS = 100;

interface HoldParts {
  readonly rowHeightPx: number;
  readRowCount(): number;
  /** Whether a row has its data; also makes the grid request a row that has not. */
  isLoaded(index: number): boolean;
}

/**
 * Keeps a scroll to rows that are not loaded from the grid until they are, so that it builds them once, filled,
 * and not first empty. Rows that take long are shown empty.
 */
export function createScrollHold({ rowHeightPx, readRowCount, isLoaded }: HoldParts) {
  let scroller: HTMLElement | null = null;
  let held: HTMLElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReleasing = false;

  function isReady({ scrollTop, scrollHeight, clientHeight }: HTMLElement): boolean {
    const rowCount = readRowCount();
    const isHorizontal = scrollHeight <= clientHeight;
    // The grid squeezes a table that is too tall for the browser: its rows are elsewhere.
    const isSqueezed = scrollHeight + clientHeight < rowCount * rowHeightPx;
    if (isHorizontal || isSqueezed || rowCount === 0) return true;
    const first = Math.min(rowCount - 1, Math.max(0, Math.floor(scrollTop / rowHeightPx)));
    const last = Math.min(rowCount - 1, Math.floor((scrollTop + clientHeight) / rowHeightPx));
    // Both are checked, so that both are requested.
    return [isLoaded(first), isLoaded(last)].every(Boolean);
  }

  function letGo(): void {
    clearTimeout(timer);
    held = null;
  }

  function passOn(target: HTMLElement | null): void {
    letGo();
    isReleasing = true;
    target?.dispatchEvent(new Event('scroll'));
    isReleasing = false;
  }

  return {
    /** To be heard before the grid hears it. */
    onScroll(event: Event): void {
      if (isReleasing || !(event.target instanceof HTMLElement)) return;
      scroller = event.target;
      if (isReady(scroller)) {
        letGo();
        return;
      }
      event.stopPropagation();
      if (held === null) timer = setTimeout(() => passOn(held), LONGEST_HOLD_MS);
      held = scroller;
    },
    /** To be told whenever rows have arrived. */
    onRows(): void {
      if (held !== null && isReady(held)) passOn(held);
    },
    /** Scrolls up at once. The grid's own way tries again on every arrival of rows until it hears a scroll. */
    toTop(): void {
      if (scroller === null) return;
      scroller.scrollTop = 0;
      passOn(scroller);
    },
    letGo,
  };
}
