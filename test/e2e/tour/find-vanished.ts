import type { Page } from '@playwright/test';
import { settle } from './settle.ts';

/**
 * Returns marks and bars that are seen by their background alone, and are not seen any more once the system forces its
 * colours.
 */
export async function findVanished(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'none' });
  await page.evaluate(() => {
    function readGround(element: Element | null): string {
      if (element === null) return '';
      const { backgroundColor } = getComputedStyle(element);
      const isTransparent = backgroundColor === 'rgba(0, 0, 0, 0)';
      return isTransparent ? readGround(element.parentElement) : backgroundColor;
    }

    for (const element of document.querySelectorAll<HTMLElement>('main *:not(td, th), aside *')) {
      const { width, height } = element.getBoundingClientRect();
      const isMark = element.childElementCount === 0 && element.textContent === '' && width > 1 && height > 1;
      if (isMark && readGround(element) !== readGround(element.parentElement))
        element.dataset['painted'] = '';
    }
    Object.assign(window, { readGround });
  });
  await page.emulateMedia({ forcedColors: 'active' });
  await settle(page);
  return page.evaluate(() => {
    const { readGround } = window as unknown as { readGround: (element: Element | null) => string };
    const vanished = [...document.querySelectorAll<HTMLElement>('[data-painted]')].filter(
      (element) =>
        getComputedStyle(element).borderTopStyle === 'none' &&
        readGround(element) === readGround(element.parentElement),
    );
    const names = vanished.map(
      ({ className, parentElement }) => `${parentElement?.className ?? ''} > ${className}`,
    );
    return [...new Set(names)];
  });
}
