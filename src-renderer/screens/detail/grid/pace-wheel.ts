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
