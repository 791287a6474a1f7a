import type { Page } from '@playwright/test';

/** Returns controls that no scrolling brings into the window. */
export async function findUnreachable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    /** As much of a control as must be seen. */
    const SEEN_PX = 8;
    const controls = document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea');
    return [...controls].flatMap((control) => {
      const isShown = control.checkVisibility({ visibilityProperty: true });
      // What only screen readers have, and the table of records, which scrolls by itself.
      if (!isShown || control.closest('.sr-only, .skip, [aria-hidden=true], .ag-root-wrapper') !== null)
        return [];
      control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      const { left, right, top, bottom } = control.getBoundingClientRect();
      const isSeen =
        right > SEEN_PX && bottom > SEEN_PX && left < innerWidth - SEEN_PX && top < innerHeight - SEEN_PX;
      const name = control.getAttribute('aria-label') ?? control.textContent.trim();
      return isSeen ? [] : [`out of reach: ${control.tagName.toLowerCase()} "${name}"`];
    });
  });
}
