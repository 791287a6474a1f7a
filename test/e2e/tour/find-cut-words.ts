import type { Page } from '@playwright/test';

/** What shows or holds texts of records, which may be of any length, or paths. */
const DATA = '.ag-cell, .path, [translate="no"], :has([translate="no"])';

/**
 * Returns the window's own words that aren't read whole at a glance: those that end in an ellipsis, with a tooltip or
 * without, and what a field says while it is empty, where the field is too narrow for it.
 */
export async function findCutWords(page: Page): Promise<string[]> {
  return page.evaluate((data) => {
    const context = document.createElement('canvas').getContext('2d');
    const cut = new Set<string>();
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      if (!element.checkVisibility() || element.matches(data)) continue;
      const style = getComputedStyle(element);
      const hasEllipsis = style.textOverflow === 'ellipsis' && element.clientWidth > 1;
      if (hasEllipsis && element.scrollWidth > element.clientWidth) {
        cut.add(element.innerText.replaceAll(/\s+/gu, ' '));
      }
      if (element instanceof HTMLInputElement && element.value === '' && context !== null) {
        context.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        const room = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        if (context.measureText(element.placeholder).width > room) cut.add(element.placeholder);
      }
    }
    return [...cut];
  }, DATA);
}
