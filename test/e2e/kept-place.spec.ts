import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { WindowPage } from './page-models/window-page.ts';

/** A longer run: `KEPT_PLACE_MINUTES=10`. */
const MINUTES = Number(process.env['KEPT_PLACE_MINUTES'] ?? 0);
const MIN_CLICKS = 16;
const CLICKS_AT_ONCE = 8;
/** What can be clicked on a screen without changing what other windows show as well. */
const HARMLESS = [
  'aside[aria-label=Sidebar] nav a',
  'main [role=tab]',
  'main [role=row]',
  'main summary',
  'main button[aria-expanded]',
  'main header [role=radio]',
].join();

const readConnection = (page: Page): string | null =>
  new URLSearchParams(page.url().split('?').at(-1)).get('connection');

function readScrolled(row: Element): number {
  let scroller: Element | null = row;
  while (scroller !== null && scroller.scrollTop === 0) scroller = scroller.parentElement;
  return scroller?.scrollTop ?? 0;
}

/** Clicks somewhere, or goes back to what the window showed before; returns where. */
async function clickAnywhere(page: Page): Promise<string> {
  const own = readConnection(page);
  const back = await page.evaluate(() => (history.state as { back?: string | null } | null)?.back ?? '');
  if (Math.random() < 0.15 && own !== null && back.includes(own)) {
    await page.evaluate(() => history.back());
    return `back to ${back}`;
  }
  const places = await page.locator(HARMLESS).filter({ visible: true }).all();
  const place = places[Math.floor(Math.random() * places.length)];
  if (place === undefined) return 'nowhere';
  const name = (await place.innerText({ timeout: 2_000 }).catch(() => '')).slice(0, 40);
  // What has gone meanwhile can't be clicked.
  await place.dispatchEvent('click', {}, { timeout: 2_000 }).catch(() => undefined);
  return `${name} of ${page.url()}`;
}

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

test('a window keeps its place, whatever another one does', async ({ app, page, context, browser }) => {
  test.setTimeout(300_000 + MINUTES * 90_000);
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
    const untilMs = Date.now() + MINUTES * 60_000;
    const done: string[] = [];
    for (let count = 0; count < MIN_CLICKS || Date.now() < untilMs; count += CLICKS_AT_ONCE) {
      const [at, still] = count % (2 * CLICKS_AT_ONCE) === 0 ? [second, page] : [page, second];
      // A screen that was gone to last is on its way.
      await still.waitForTimeout(1_000);
      const before = still.url();
      for (let click = 0; click < CLICKS_AT_ONCE; click += 1) {
        done.push(await clickAnywhere(at));
        await expect(at).toHaveURL(/connection=/);
      }
      expect(still.url(), done.slice(-CLICKS_AT_ONCE).join('\n')).toBe(before);
      expect([readConnection(page), readConnection(second)], done.slice(-8).join('\n')).toEqual([own, other]);
    }
    await expect(switcher(page, /Local service/)).toBeVisible();
    await expect(switcher(second, /Other platform/)).toBeVisible();
    process.stdout.write(`${done.length} clicks in two windows\n`);
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
    await expect(opened.locator('.ag-row-selected').first()).toBeVisible();
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
    await test.step('a host that is silent for twelve seconds leaves them too, and what was typed', async () => {
      const selected = page.locator('.ag-row-selected').first();
      await detail.rows().nth(5).hover();
      await page.mouse.wheel(0, 120);
      /** How far the table is scrolled. */
      const readPlace = () => page.locator('.ag-row').first().evaluate(readScrolled);
      await expect.poll(readPlace).toBeGreaterThan(50);
      const before = [await selected.getAttribute('row-index'), await readPlace(), page.url()];
      const note = detail.inspector().getByRole('textbox');
      await note.fill('Not saved yet');
      await app.freeze(12_000);
      await expect(page.getByText("Channelscope isn't responding")).toBeHidden({ timeout: 30_000 });
      // Whatever is read again then is there.
      await page.waitForTimeout(3_000);
      expect([await selected.getAttribute('row-index'), await readPlace(), page.url()]).toEqual(before);
      await expect(note).toHaveValue('Not saved yet');
      await note.fill('');
    });
    await test.step('in another profile of a browser a link shows the same', async () => {
      await window.openView('/inbound/detail?period=yesterday&q=code:200&order=-responsetime');
      await detail.rows().nth(3).click();
      await expect(page).toHaveURL(/record=\d+/);
      await detail.inspector().locator('[data-field=sessionId] dd').waitFor();
      const profile = await browser.newContext();
      const there = await profile.newPage();
      await there.goto(await app.comeBack());
      await there.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await there.goto(page.url());
      const shown = new DetailPage(there);
      for (const [of, at] of [
        [new DetailPage(page), page],
        [shown, there],
      ] as const) {
        await expect(switcher(at, /Local service/)).toBeVisible();
        await expect(at.getByRole('button', { name: /^Period/ })).toContainText('Yesterday');
        await expect(of.search()).toHaveValue('code:200');
        await expect(at.getByRole('radio', { name: 'Records' })).toBeChecked();
        await expect(at.locator('[col-id=responseTimeMs][role=columnheader]')).toHaveAttribute(
          'aria-sort',
          'descending',
        );
      }
      const readRecord = (of: DetailPage) => of.inspector().locator('[data-field=sessionId] dd').innerText();
      await shown.inspector().locator('[data-field=sessionId] dd').waitFor();
      expect(await readRecord(shown)).toBe(await readRecord(detail));
      expect((await shown.dates()).slice(0, 10)).toEqual((await detail.dates()).slice(0, 10));
      expect(there.url()).toBe(page.url());
      await page.getByRole('radio', { name: 'Errors' }).click();
      await page.getByRole('radio', { name: 'Channel' }).click();
      await expect(page).toHaveURL(/by=channel/);
      await there.goto(page.url());
      await expect(there.getByRole('radio', { name: 'Errors' })).toBeChecked();
      await expect(there.getByRole('radio', { name: 'Channel' })).toBeChecked();
      await profile.close();
      await window.openView('/inbound/detail?period=yesterday');
      // A row of the records before may be on its way out.
      await expect(async () => {
        await detail.rows().nth(2).click();
        await detail.inspector().waitFor({ timeout: 2_000 });
      }).toPass();
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
