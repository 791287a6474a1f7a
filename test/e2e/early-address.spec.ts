import { expect, test } from './fixtures.ts';
import { WindowPage } from './page-models/window-page.ts';

test('an address that comes while the first view still loads is the one shown', async ({ app, page }) => {
  const window = new WindowPage(page);
  await page.goto(app.url);
  await page.getByRole('button', { name: 'Start with the built-in local service' }).waitFor();
  await window.openView('/deprecations');
  await window.main().getByRole('heading', { level: 1, name: 'Deprecations' }).waitFor();

  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const asked = page.waitForRequest(/DeprecationsScreen.*\.js/);
  await page.route(/DeprecationsScreen.*\.js/, async (route) => {
    await released;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await asked;
  await window.openView('/local-service');
  release(undefined);

  await expect(window.main().getByRole('heading', { level: 1, name: 'Local service' })).toBeVisible();
  await expect(page).toHaveURL(/#\/local-service$/);
});
