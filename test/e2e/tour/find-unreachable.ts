import type { Page } from '@playwright/test';

/** Returns controls that no scrolling brings into the window, or that something else lies over there. */
export async function findUnreachable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    /** As much of a control as must be seen. */
    const SEEN_PX = 8;
    /** What only screen readers have, and tables of records, which scroll by themselves. */
    const ASIDE = '.sr-only, .skip, [aria-hidden=true], .ag-root-wrapper';
    // What is open covers the rest on purpose.
    const opened = [...document.querySelectorAll('.cs-menu, .cs-popover, [role=dialog]')].at(-1);
    const controls = (opened ?? document).querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea',
    );

    function isCovered(control: HTMLElement, x: number, y: number): boolean {
      const hit = document.elementFromPoint(x, y);
      const labels = control instanceof HTMLInputElement ? [...(control.labels ?? [])] : [];
      return hit === null || ![control, ...labels].some((one) => one.contains(hit) || hit.contains(one));
    }

    return [...controls].flatMap((control) => {
      if (!control.checkVisibility({ visibilityProperty: true }) || control.closest(ASIDE) !== null)
        return [];
      control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      const { left, right, top, bottom } = control.getBoundingClientRect();
      const isSeen =
        right > SEEN_PX && bottom > SEEN_PX && left < innerWidth - SEEN_PX && top < innerHeight - SEEN_PX;
      const name = `${control.tagName.toLowerCase()} "${control.getAttribute('aria-label') ?? control.textContent.trim()}"`;
      if (!isSeen) return [`out of reach: ${name}`];
      // Bars of charts that keys reach are drawn below them, and pressed there.
      if (getComputedStyle(control).pointerEvents === 'none') return [];
      const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
      const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
      return isCovered(control, x, y) ? [`covered: ${name}`] : [];
    });
  });
}
