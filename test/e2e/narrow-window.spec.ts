import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { WindowPage } from './page-models/window-page.ts';

/** What is left of 1280 x 1024 when everything is four times as large (WCAG 2.2, 1.4.10). */
test.use({ viewport: { width: 320, height: 256 }, hasTouch: true });

const STOPS = 30;

const title = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name });

/** Whether the focus can be seen: nothing lies over it, and it is in the window (WCAG 2.2, 2.4.11). */
function isFocusSeen(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return true;
    const { left, right, top, bottom } = activeElement.getBoundingClientRect();
    // Bars of charts that keys reach lie over the drawn ones, which take the presses.
    let owner: Element | null = activeElement;
    while (owner !== null && getComputedStyle(owner).pointerEvents === 'none') owner = owner.parentElement;
    const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
    const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
    const hit = document.elementFromPoint(x, y);
    return hit !== null && owner !== null && (owner.contains(hit) || hit.contains(owner));
  });
}

/** What a screen still reads would move what has the focus. */
async function waitUntilStill(page: Page): Promise<void> {
  await expect(page.locator('main .skeleton')).toHaveCount(0, { timeout: 30_000 });
  let before = 0;
  const isStill = async (): Promise<boolean> => {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const isSame = height === before;
    before = height;
    return isSame;
  };
  await expect.poll(isStill, { intervals: [500] }).toBe(true);
}

test('in the smallest window everything is reached by keyboard and by touch', async ({ app, page }) => {
  const window = new WindowPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.fetchLastDay().tap();
  await page.getByText('These 24 hours are cached').waitFor({ timeout: 60_000 });
  const menu = page.getByRole('button', { name: 'Menu' });
  const drawer = page.getByRole('dialog', { name: 'Menu' });
  const focused = page.locator(':focus');

  await test.step('the views are in a menu that keeps the focus, and gives it back', async () => {
    await menu.press('Enter');
    await expect(drawer).toBeVisible();
    for (const key of ['Tab', 'Shift+Tab', 'Shift+Tab']) {
      await page.keyboard.press(key);
      expect(await focused.evaluate((element) => element.closest('[role=dialog]') !== null)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await expect(drawer).toBeHidden();
    await expect(menu).toBeFocused();
    await page.keyboard.press('ControlOrMeta+b');
    await drawer.getByRole('link', { name: 'Library' }).press('Enter');
    await expect(title(page, 'Library')).toBeFocused();
    await expect(drawer).toBeHidden();
    await menu.tap();
    await drawer.getByRole('link', { name: 'Overview' }).tap();
    await expect(title(page, 'Overview')).toBeVisible();
  });

  await test.step('a record is shown over the table, and closed with the focus back on its row', async () => {
    await window.openView('/inbound/detail');
    const record = page.getByRole('dialog', { name: 'Inspector' });
    await new DetailPage(page).rows().nth(2).tap();
    await record.getByText('ReponseTime').waitFor();
    await page.keyboard.press('Escape');
    await expect(record).toBeHidden();
    await expect(focused).toHaveRole('gridcell');
    await page.keyboard.press('ArrowDown');
    await expect(record).toBeHidden();
    expect(await isFocusSeen(page)).toBe(true);
    await page.keyboard.press('ControlOrMeta+i');
    await expect(record).toBeVisible();
    await record.getByRole('button', { name: 'Close the inspector' }).tap();
    await expect(record).toBeHidden();
  });

  await test.step('a list beside a screen is folded above it', async () => {
    await window.openView('/settings');
    const list = page.getByRole('button', { name: 'Sections of the settings' });
    await expect(list).toHaveAttribute('aria-expanded', 'false');
    await list.press('Enter');
    await page.getByRole('button', { name: 'Storage', exact: true }).press('Enter');
    await expect(list).toBeFocused();
    await expect(list).toHaveAttribute('aria-expanded', 'false');
    await expect(page.getByRole('heading', { level: 2, name: 'Storage' })).toBeInViewport();
  });

  await test.step('what has the focus is seen', async () => {
    for (const path of [
      '/overview',
      '/inbound/summary',
      '/library',
      '/local-service',
      '/settings/connections',
    ]) {
      await window.openView(path);
      await waitUntilStill(page);
      await page.locator('main h1').focus();
      const hidden: string[] = [];
      for (let stop = 0; stop < STOPS; stop += 1) {
        await page.keyboard.press('Tab');
        if (!(await isFocusSeen(page)))
          hidden.push(await focused.evaluate(({ outerHTML }) => outerHTML.slice(0, 120)));
      }
      expect.soft(hidden, path).toEqual([]);
    }
  });
});
