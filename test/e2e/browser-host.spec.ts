import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { WindowPage } from './page-models/window-page.ts';

const readToken = (tab: Page): Promise<string | null> =>
  tab.evaluate(() => sessionStorage.getItem('channelscope.session')).catch(() => null);

test('the page in the browser can be installed, outlives its host, and shares its session with other tabs', async ({
  app,
  page,
  context,
}) => {
  test.setTimeout(180_000);
  const shell = new WindowPage(page);
  await page.goto(app.url);
  await shell.startBuiltInService();

  const browser = await context.newCDPSession(page);
  const manifest = (await browser.send('Page.getAppManifest')) as { data?: string; errors: unknown[] };
  expect(manifest.errors).toEqual([]);
  expect(JSON.parse(manifest.data ?? '{}')).toMatchObject({ name: 'Channelscope', display: 'standalone' });
  // The browser of a test never installs anything: that must be the only reason.
  const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors');
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito']);

  await shell.openView('/inbound/detail?period=yesterday&q=code:5xx');
  await page.getByRole('heading', { level: 1, name: /Detail/ }).waitFor();
  const place = page.url();
  await page.reload();
  await expect(page.getByRole('complementary', { name: 'Sidebar' })).toBeVisible();
  expect(page.url()).toBe(place);

  // A new tab has no session of its own, nor has a browser's installed application: another tab gives it one.
  const second = await context.newPage();
  await second.goto(new URL('/', place).href);
  await expect(second.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await new WindowPage(second).openView('/library');
  await expect(second.getByRole('heading', { level: 1, name: 'Library' })).toBeVisible();
  expect(page.url()).toBe(place);

  await app.restart();
  for (const tab of [page, second]) {
    // Until the host has proven itself, a tab keeps its session to itself.
    await expect.poll(() => readToken(tab), { timeout: 30_000 }).not.toBeNull();
    await expect(tab.getByText("Channelscope isn't responding")).toBeHidden({ timeout: 30_000 });
    await expect(tab.getByRole('complementary', { name: 'Sidebar' })).toBeVisible();
  }
  expect(page.url()).toBe(place);
  await expect(second.getByRole('heading', { level: 1, name: 'Library' })).toBeVisible();
  // They still have the session from before: it opens the application again after a reload, too.
  await page.reload();
  await expect(page.getByRole('complementary', { name: 'Sidebar' })).toBeVisible();
  expect(page.url()).toBe(place);
});

test('a tab goes on with the session of the page that its host opens at its next start', async ({
  app,
  page,
  context,
}) => {
  test.setTimeout(180_000);
  await page.goto(app.url);
  await new WindowPage(page).startBuiltInService();
  await new WindowPage(page).openView('/library');
  await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
  // In one browser, the cookie of the new session takes the place of the old one.
  const opened = await context.newPage();
  await opened.goto(await app.restart());
  await expect(opened.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  // It is not in the tab's storage before its host has proved itself.
  let token: string | null = null;
  await expect.poll(async () => (token = await readToken(opened)), { timeout: 30_000 }).not.toBeNull();
  // The old tab loads itself again with the new session, at the place where it was.
  await expect.poll(() => readToken(page), { timeout: 30_000 }).toBe(token);
  await expect(page.getByRole('heading', { level: 1, name: 'Library' })).toBeVisible({ timeout: 30_000 });
});

test('eight tabs of one browser work, and follow what happens after the first is closed', async ({
  app,
  page,
  context,
}) => {
  test.setTimeout(180_000);
  await page.goto(app.url);
  await new WindowPage(page).startBuiltInService();
  const { origin } = new URL(page.url());
  const tabs: Page[] = [];
  // A browser opens six connections to a host, for all of its tabs together.
  for (let count = 0; count < 7; count += 1) {
    const tab = await context.newPage();
    await tab.goto(origin);
    await expect(tab.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    tabs.push(tab);
  }
  await page.close();
  const [acting, ...watching] = tabs;
  if (acting === undefined) throw new Error('No tab was opened.');
  await new WindowPage(acting).openView('/settings');
  await acting.getByRole('radio', { name: 'Dark' }).click();
  for (const tab of watching) {
    await expect(tab.locator('html')).toHaveClass(/\bdark\b/, { timeout: 15_000 });
  }
});
