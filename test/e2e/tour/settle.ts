import type { Page } from '@playwright/test';

const SETTLED_MS = 150;

/** Charts follow a new size with the next frames; nothing in the window shows when they have. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(
    (ms) =>
      new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, ms)));
      }),
    SETTLED_MS,
  );
}
