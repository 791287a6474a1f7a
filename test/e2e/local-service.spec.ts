import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { LocalServicePage } from './page-models/local-service-page.ts';
import { WindowPage } from './page-models/window-page.ts';

test.beforeEach(async ({ app, page }) => {
  await page.goto(app.url);
  await new WindowPage(page).startBuiltInService();
});

/** What a paste gives: the page itself may not read the clipboard. Line breaks are lost in a field. */
async function paste(page: Page): Promise<string> {
  await page.keyboard.press('ControlOrMeta+k');
  const field = page.getByPlaceholder('Type a command');
  await field.press('ControlOrMeta+v');
  const text = await field.inputValue();
  await field.fill('');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'hidden' });
  return text;
}

test('address and credentials are copied, and open the service for other programs', async ({ page }) => {
  const screen = new LocalServicePage(page);
  await screen.open();
  await screen.whenRunning();
  const copied: Record<string, string> = {};
  for (const name of ['Address', 'Access token', 'Token secret']) {
    await screen.button(`Copy ${name}`).click();
    await expect(screen.button('Copied')).toBeVisible();
    copied[name] = await paste(page);
  }
  expect(copied['Address']).toBe(await screen.address());
  const answer = await fetch(`${copied['Address']!}/api/ServiceReporting/CreateToken`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      tenant: 1001,
      accessToken: copied['Access token'],
      accessTokenSecret: copied['Token secret'],
    }),
  });
  expect(answer.status).toBe(200);
  // Neither is on the page, whatever was copied.
  const markup = await page.content();
  expect(markup).not.toContain(copied['Access token']!);
  expect(markup).not.toContain(copied['Token secret']!);
});

test('a simulated outage is seen as one, is never taken for a real one, and ends', async ({ page }) => {
  const screen = new LocalServicePage(page);
  const window = new WindowPage(page);
  await screen.open();
  await page.getByLabel('Platform is down').click();
  await expect(page.getByText("Platform down. This isn't an outage of your platform.")).toBeVisible();
  await window.openView('/overview');
  await expect(screen.mark('Simulation is on')).toBeVisible();
  // The word stands in the legend too.
  const down = window.main().locator('[data-state=down][data-size]');
  await expect(down.first()).toBeVisible();
  await screen.mark('Simulation is on').click();
  await screen.button('End simulation').click();
  await expect(screen.mark('Simulation is on')).toBeHidden();
  await window.openView('/overview');
  await expect(down).toHaveCount(0);
});

test('quirks are applied together, and the service comes back at the same address', async ({ page }) => {
  const screen = new LocalServicePage(page);
  await screen.open();
  const address = await screen.address();
  await screen.chooseQuirks('small-pages', 'status-nested');
  await screen.button('Apply and restart').click();
  await expect(screen.mark('2 quirks are on')).toBeVisible();
  await screen.whenRunning();
  expect(await screen.address()).toBe(address);
  await page.reload();
  await screen.whenRunning();
  await expect(page.getByLabel('small-pages')).toBeChecked();
});

test('the last requests appear as they are served', async ({ page }) => {
  const screen = new LocalServicePage(page);
  await screen.open();
  await page.keyboard.press('ControlOrMeta+r');
  const rows = screen.panel('Last requests').getByRole('row');
  await expect.poll(() => rows.count()).toBeGreaterThan(1);
  await expect(rows.nth(1)).toContainText(/Tenant status|Create token|(?:In|Out)bound/u);
});

test('records of a file are imported, bad lines are listed with their reasons, and nothing stays behind', async ({
  app,
  page,
}) => {
  const screen = new LocalServicePage(page);
  await screen.open();
  const record = {
    Date: '2026-11-20T10:00:00.000Z',
    Id: 'F7A4C9E2-0000-4000-8000-000000000001',
    Channel: 91,
    Service: 1,
    Client: 'somebody',
    ReponseTime: 120,
    ReponseCode: 200,
    Error: '',
    Payload: '{}',
    Origin: 'web',
    BotLatency: 10,
  };
  const lines = [JSON.stringify(record), 'not a record', JSON.stringify({ ...record, Channel: 92 })];
  await screen.importText('records.ndjson', `${lines.join('\n')}\n`);
  const panel = screen.panel('Import');
  await expect(panel.getByText('Imported', { exact: true })).toBeVisible();
  await expect(panel).toContainText('Added2');
  await expect(panel).toContainText('Rejected1');
  await expect(panel.getByRole('row')).toHaveCount(2);
  await screen.button('Copy report').click();
  expect(await paste(page)).toMatch(/^records\.ndjson: 3 records read, 2 added.*Line 2: \S/u);
  expect(await readdir(join(app.dataFolder, 'uploads'))).toEqual([]);

  await screen.importText('records.ndjson', `${lines.join('\n')}\n`);
  await expect(panel).toContainText('Already present2');
  await screen.button('Close').click();
  await expect(panel).toBeHidden();
});

test('a stopped service offers to start again and keeps its address', async ({ page }) => {
  const screen = new LocalServicePage(page);
  await screen.open();
  const address = await screen.address();
  await screen.button('Stop').click();
  await expect(screen.panel('Service').getByText('Stopped', { exact: true })).toBeVisible();
  await expect(screen.button('Import records…')).toBeDisabled();
  await screen.button('Start').click();
  await screen.whenRunning();
  expect(await screen.address()).toBe(address);
  await screen.button('Restart').click();
  await screen.whenRunning();
  expect(await screen.address()).toBe(address);
});
