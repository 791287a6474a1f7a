import { expect, test } from './fixtures.ts';
import { WindowPage } from './page-models/window-page.ts';

test.use({ viewport: { width: 1024, height: 700 }, reducedMotion: 'reduce' });

test('a Library whose coverage and storage fail says so without a scroll', async ({ app, page }) => {
  const window = new WindowPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.fetchLastDay().click();
  await page.getByText('These 24 hours are cached').waitFor({ timeout: 60_000 });
  const failing = ['/api/call/coverage/read', '/api/call/snapshots/read-storage'];
  await page.route(
    (url) => failing.includes(url.pathname),
    (route) =>
      route.fulfill({
        json: { ok: false, error: { code: 'cache.io-failed', message: 'The disk failed.', details: {} } },
      }),
  );
  await page.reload();
  await page.getByRole('link', { name: 'Library' }).click();
  await expect(page.getByText('Disk error. Check the disk, and try again.')).toHaveCount(2);
  await expect(page.getByRole('row', { name: /Inbound detail/u })).toBeVisible();
  const hidden = await page
    .locator('.library > .grid')
    .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
  expect(hidden).toBe(0);
});
