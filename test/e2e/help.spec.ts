import { startFaultServer } from '../support/network/fault-server.ts';
import { expect, test } from './fixtures.ts';
import { WindowPage } from './page-models/window-page.ts';
import { showScreen } from './show-screen.ts';

test('Help: contents, search, links within it and to screens, the way back, an address', async ({
  app,
  page,
}) => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  const window = new WindowPage(page);
  const heading = (name: string) => window.main().getByRole('heading', { name, exact: true });
  const contents = page.getByRole('navigation', { name: 'Contents of Help' });
  await page.goto(app.url);
  await window.startBuiltInService();

  await page.keyboard.press('F1');
  await heading('First steps').waitFor();
  await contents.getByRole('link', { name: 'Errors', exact: true }).click();
  await heading('Errors').waitFor();
  await heading('The cache and the disk').scrollIntoViewIfNeeded();
  await window.main().getByRole('link', { name: 'how the cache protects itself' }).click();
  await heading('How the cache protects itself').waitFor();
  await showScreen(page, 'help-table');

  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(heading('Something on the disk is damaged')).toBeInViewport();
  await page.getByRole('button', { name: 'Forward', exact: true }).click();
  await heading('How the cache protects itself').waitFor();

  await page.keyboard.press('/');
  await page.getByRole('searchbox', { name: 'Search Help' }).fill('client.tls');
  await page.getByRole('link', { name: /Errors › The secure connection failed/ }).click();
  await expect(heading('The secure connection failed')).toBeFocused();
  await expect(heading('The secure connection failed')).toBeInViewport();
  await showScreen(page, 'help-search');
  await page.getByRole('searchbox', { name: 'Search Help' }).fill('nowhere-at-all');
  await page.getByText('Nothing in Help has').waitFor();

  await window.openView('/help/errors/cache.disk-full');
  await expect(heading('The disk is full')).toBeFocused();
  await window.main().getByRole('link', { name: 'Library' }).first().click();
  await page.getByText('Nothing is cached yet').waitFor();
  await window.openView('/help/no-such-page');
  await page.getByText('There is no such page').waitFor();
  await window.openView('/help/keyboard');
  await heading('Inspector').or(heading('Record')).first().waitFor();
  await showScreen(page, 'help-keyboard');
  expect(complaints).toEqual([]);
});

test('the tour points at the real controls, is ended by Esc and goes on where it was ended', async ({
  app,
  page,
}) => {
  test.setTimeout(180_000);
  const window = new WindowPage(page);
  const card = page.getByRole('dialog');
  const ring = page.locator('.ring');
  /** The control lies within the ring. */
  async function expectRingRound(selector: string): Promise<void> {
    await expect(async () => {
      const [outer, inner] = await Promise.all([
        ring.boundingBox(),
        page.locator(selector).first().boundingBox(),
      ]);
      expect(outer?.x).toBeLessThanOrEqual(inner?.x ?? Number.NaN);
      expect(outer?.y).toBeLessThanOrEqual(inner?.y ?? Number.NaN);
      expect(outer?.width).toBeGreaterThanOrEqual(inner?.width ?? Number.NaN);
      expect(outer?.height).toBeGreaterThanOrEqual(inner?.height ?? Number.NaN);
    }).toPass();
  }
  await page.goto(app.url);
  await page.getByRole('link', { name: 'Take the tour' }).click();
  await page.getByRole('button', { name: 'Take the tour' }).click();
  await card.getByText('Step 1 of 8').waitFor({ timeout: 60_000 });
  await expect(card).toBeFocused();
  await expectRingRound('[data-shortcut="period"]');
  await page.getByText('These 24 hours are cached').waitFor({ timeout: 60_000 });
  await showScreen(page, 'tour-period');
  const next = card.getByRole('button', { name: 'Next' });
  for (const name of ['findings', 'volume', 'coverage', 'spike']) {
    await next.press('Enter');
    await expectRingRound(`[data-tour="${name}"]`);
    await showScreen(page, `tour-${name}`);
  }
  await card.press('Escape');
  await expect(card).toBeHidden();

  await window.openView('/help');
  await page.getByRole('button', { name: 'Continue the tour' }).click();
  await card.getByText('Step 5 of 8').waitFor();
  await next.click();
  await expectRingRound('[data-tour="record"]');
  await showScreen(page, 'tour-record');
  await card.getByRole('button', { name: 'Back' }).click();
  await card.getByText('Step 5 of 8').waitFor();
  await next.click();
  await next.click();
  await expectRingRound('[data-shortcut="export"]');
  await next.click();
  await expectRingRound('a[href*="#/help"]');
  await showScreen(page, 'tour-help');
  await card.getByRole('button', { name: 'Done' }).click();
  await expect(card).toBeHidden();
  await window.openView('/help');
  await page.getByRole('button', { name: 'Take the tour' }).waitFor();
});

test('an error leads to its part of Help, over what was entered', async ({ app, page }) => {
  const closed = await startFaultServer(() => undefined);
  await closed.close();
  await page.goto(app.url);
  await page.getByRole('link', { name: 'Connect to your platform' }).click();
  await page.getByLabel('Name').fill('Half entered');
  await page.getByLabel('Tenant').fill('1001');
  await page.getByLabel('Base address').fill(closed.address);
  await page.getByLabel('Access token', { exact: true }).fill('token');
  await page.getByLabel('Access token secret').fill('secret');
  await page.getByRole('button', { name: 'Test connection' }).click();
  const more = page.getByRole('button', { name: 'More about this' }).first();
  await more.click();
  const paragraph = page.getByRole('dialog', { name: 'About this error' });
  await paragraph.getByRole('heading', { name: "The service can't be reached" }).waitFor();
  await showScreen(page, 'help-error');
  await page.keyboard.press('Escape');
  await expect(more).toBeFocused();
  await expect(page.getByLabel('Name')).toHaveValue('Half entered');
  await more.click();
  await paragraph.getByRole('button', { name: 'Open in Help' }).click();
  // The credentials are nowhere else: leaving them behind is asked about.
  await page
    .getByRole('dialog', { name: /Discard the credentials/ })
    .getByRole('button', { name: 'Discard' })
    .click();
  await expect(page.getByRole('heading', { name: "The service can't be reached" })).toBeFocused();
});
