/** The answer to a question about the window, as `matchMedia` gives it. */
export function createMediaQuery(matches: boolean): MediaQueryList {
  return Object.assign(new EventTarget(), { matches }) as MediaQueryList;
}
