import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { WindowPage } from './page-models/window-page.ts';

/** A longer run: `KEPT_PLACE_CLICKS=2000`. */
const CLICKS = Number(process.env['KEPT_PLACE_CLICKS'] ?? 8);
const SCREENS = ['Overview', 'Compare', 'Alerts', 'Library', 'SQL', 'Schedules', 'Settings', 'Help'];

const readConnection = (page: Page): string | null =>
  new URLSearchParams(page.url().split('?').at(-1)).get('connection');

async function addConnection(page: Page, name: string): Promise<void> {
  await new WindowPage(page).openView('/settings/connections/new');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Tenant').fill('1001');
  await page.getByLabel('Base address').fill('https://127.0.0.1:9');
  await page.getByLabel('Access token', { exact: true }).fill('token');
  await page.getByLabel('Access token secret').fill('secret');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').first().waitFor();
}

test('a window keeps its place, whatever another one does', async ({ app, page, context }) => {
  test.setTimeout(240_000 + CLICKS * 2_000);
  const window = new WindowPage(page);
  const switcher = (of: Page, name: string | RegExp) =>
    new WindowPage(of).sidebar().getByRole('button', { name }).first();
  await page.goto(app.url);
  await window.startBuiltInService();
  await addConnection(page, 'Other platform');
  await window.openView('/inbound/detail?period=yesterday&q=code:5xx');
  await expect(page).toHaveURL(/connection=/);
  const detail = new DetailPage(page);
  await page.getByText('Not downloaded yet').waitFor();
  const place = page.url();
  const own = readConnection(page);

  const second = await context.newPage();
  await test.step('a new window begins with the connection shown last, and switches for itself', async () => {
    await second.goto(new URL('/', place).href);
    await expect(second).toHaveURL(new RegExp(`connection=${own}`));
    await switcher(second, /Local service/).click();
    await second.getByRole('menuitemradio', { name: /Other platform/ }).click();
    await expect(switcher(second, /Other platform/)).toBeVisible();
    await expect(second).not.toHaveURL(new RegExp(`connection=${own}`));
    expect(page.url()).toBe(place);
    await expect(switcher(page, /Local service/)).toBeVisible();
  });

  await test.step('neither changes the other', async () => {
    const other = readConnection(second);
    for (let count = 0; count < CLICKS; count += 1) {
      const at = count % 2 === 0 ? second : page;
      const name = SCREENS[Math.floor(Math.random() * SCREENS.length)] ?? 'Overview';
      await new WindowPage(at).sidebar().getByRole('link', { name, exact: true }).dispatchEvent('click');
      await expect(at).toHaveURL(/connection=/);
      expect([readConnection(page), readConnection(second)]).toEqual([own, other]);
    }
  });

  await test.step('a link shows the connection, period and filter that it names', async () => {
    const opened = await context.newPage();
    await opened.goto(place);
    await expect(switcher(opened, /Local service/)).toBeVisible();
    await expect(opened.getByRole('button', { name: /^Period/ })).toContainText('Yesterday');
    expect(opened.url()).toBe(place);
    await opened.close();
    await second.close();
  });

  await test.step('the table has the room until a row is clicked, and a link leads to the record and the tab', async () => {
    await window.openView('/inbound/detail?period=yesterday');
    await detail.download();
    await expect(detail.inspector()).toBeHidden();
    await detail.rows().nth(2).click();
    await expect(detail.inspector().getByText('ReponseTime')).toBeVisible();
    await expect(page).toHaveURL(/record=\d+/);
    const sessionId = await detail.inspector().locator('[data-field=sessionId] dd').innerText();
    const opened = await context.newPage();
    await opened.goto(page.url());
    const { inspector } = new DetailPage(opened);
    await expect(inspector().locator('[data-field=sessionId] dd')).toHaveText(sessionId);
    await opened.close();
    await page.getByRole('radio', { name: 'Errors' }).click();
    await expect(page).toHaveURL(/tab=errors/);
    await page.goBack();
    await expect(page.getByRole('radio', { name: 'Records' })).toBeChecked();
    await test.step('another language leaves the row, the inspector and the scroll position', async () => {
      const selected = page.locator('.ag-row-selected');
      await detail.rows().nth(9).click();
      const place = await selected.first().getAttribute('row-index');
      const settings = await context.newPage();
      await settings.goto(new URL('/#/settings', page.url()).href);
      await settings.getByRole('combobox', { name: 'Language' }).click();
      await settings.getByRole('option', { name: 'Deutsch' }).click();
      await expect(page.getByRole('columnheader', { name: 'Datum' })).toBeVisible();
      await expect(selected.first()).toHaveAttribute('row-index', place ?? '');
      await expect(detail.inspector().or(page.getByText('ReponseTime')).first()).toBeVisible();
      await settings.getByRole('combobox', { name: 'Sprache' }).click();
      await settings.getByRole('option', { name: 'English' }).click();
      await expect(page.getByRole('columnheader', { name: 'Date' }).first()).toBeVisible();
      await settings.close();
    });
    await detail.inspector().getByRole('button', { name: 'Close the inspector' }).click();
    await detail.rows().nth(4).click();
    await expect(detail.inspector()).toBeHidden();
  });

  await test.step('a day of the calendar is a whole day, and a time filter outside of it says so', async () => {
    await window.openView('/inbound/detail?period=yesterday&q=date:2020-01-01..2020-01-02');
    await page.getByText('The time filter lies outside the period').waitFor();
    await page.getByRole('button', { name: 'Remove time filter' }).click();
    await detail.rows().first().waitFor();
    await page.getByRole('button', { name: /^Period/ }).click();
    const day = page.locator('.cs-day[data-selected]').first();
    await day.click();
    await day.click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect(page).toHaveURL(/period=[\d-]+(?:T00:00)?\.\.[\d-]+T23:59:59/);
    await expect(detail.rows().first()).toBeVisible();
  });
});
