const SCROLLS = ['auto', 'scroll'];

/** Returns what scrolls an element's content: itself, or where a narrow window lets it be as high as it is, what is around it. */
export function findScroller(element: HTMLElement): HTMLElement {
  for (let one: HTMLElement | null = element; one !== null; one = one.parentElement) {
    if (SCROLLS.includes(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight) return one;
  }
  return element;
}
