import type { Page } from '@playwright/test';

const SETTLED_MS = 150;

/**
 * Charts follow a new size with the next frames; nothing in the window shows when they have. What is dimmed until its new
 * figures are there isn't to be looked at yet.
 */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[data-stale]') === null);
  await page.evaluate(
    (ms) =>
      new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, ms)));
      }),
    SETTLED_MS,
  );
}
