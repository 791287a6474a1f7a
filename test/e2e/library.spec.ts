import { readFile } from 'node:fs/promises';
import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { LibraryPage } from './page-models/library-page.ts';
import { WindowPage } from './page-models/window-page.ts';

const countOf = (text: string): number => Number(/[\d,]+/.exec(text)?.[0].replaceAll(',', ''));

test('a download is forecast, paused in its row, resumed in the sidebar, and loses nothing', async ({
  app,
  page,
}) => {
  const window = new WindowPage(page);
  const library = new LibraryPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/library');
  const forecast = await library.download('Last 30 days');
  expect(forecast).toBeGreaterThan(50_000);

  const row = library.rows().first();
  await expect(row).toContainText('Downloading');
  await expect(row.locator('td.right').first()).toHaveText(/[1-9]/);
  await row.getByRole('button', { name: 'Pause the download' }).click();
  await expect(row).toContainText('Paused');
  const [records] = await row.locator('td.right').allInnerTexts();
  await page.waitForTimeout(1000);
  await expect(row.locator('td.right').first()).toHaveText(records ?? '');
  expect(countOf(records ?? '')).toBeLessThan(forecast);

  // Paused is paused, also over a restart of the application.
  await page.goto(await app.restart());
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await window.openView('/library');
  await expect(row).toContainText('Paused');
  await window.sidebar().getByRole('button', { name: 'Resume the download' }).click();
  await expect(row).toContainText('Still open', { timeout: 90_000 });
  // The period moves on between forecast and download: its first seconds' records may have left it.
  expect(countOf(await row.locator('td.right').first().innerText())).toBeGreaterThan(forecast - 20);
});

test('a snapshot is certified, named, pinned, deleted, brought back, verified and compared', async ({
  app,
  page,
}) => {
  const window = new WindowPage(page);
  const library = new LibraryPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/library');
  const forecast = await library.download('Yesterday');
  const row = library.rows().first();
  await expect(row).toContainText('Complete');
  const count = countOf((await row.locator('td.right').first().innerText()) || '');
  // Periods are requested by whole seconds: a record right after its end may have been announced with it.
  expect(count).toBeLessThanOrEqual(forecast);
  expect(count).toBeGreaterThan(forecast - 3);

  await library.act(row, 'Details');
  await expect(library.part('Certificate')).toContainText(
    'Complete: every record the service announced is here',
  );
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    library.details().getByRole('button', { name: 'Save as JSON' }).click(),
  ]);
  const certificate = JSON.parse(await readFile(await file.path(), 'utf8')) as Record<string, unknown>;
  expect(certificate).toMatchObject({ recordCount: count, isComplete: true, tenant: 1001 });
  await expect(library.part('Pages').locator('tbody tr')).toHaveCount(Number(certificate['pageCount']));
  await expect(library.part('Unreadable')).toContainText('No unreadable entries');
  await library.closeDetails();

  await library.act(row, 'Name and note');
  await page.getByLabel('Name', { exact: true }).fill('The quiet day');
  await page.getByLabel('Note', { exact: true }).fill('Before the outage');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await library.act(library.row('The quiet day'), 'Pin');
  await expect(library.row('The quiet day').getByLabel('Pinned')).toBeVisible();

  // Deleting what is pinned must be confirmed; both ways it can be undone.
  await library.act(library.row('The quiet day'), 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(library.rows()).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(library.row('The quiet day').getByLabel('Pinned')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeHidden();

  // With the keyboard alone: the menu of the row, and the key that undoes.
  await page.getByRole('grid', { name: 'Snapshots' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ContextMenu');
  await page.getByRole('menuitem', { name: 'Unpin' }).press('Enter');
  await expect(library.row('The quiet day').getByLabel('Pinned')).toHaveCount(0);
  await page.getByRole('grid', { name: 'Snapshots' }).focus();
  await page.keyboard.press('Delete');
  await expect(library.rows()).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(library.rows()).toHaveCount(1);

  await library.act(library.row('The quiet day'), 'Verify');
  await library.act(library.row('The quiet day'), 'Details');
  await expect(library.details()).toContainText('unchanged since it was downloaded');
  await library.details().getByRole('button', { name: 'Refresh and compare' }).click();
  await expect(library.part('What changed')).toContainText('Both contain the same records.');
  await library.closeDetails();
  await expect(library.rows()).toHaveCount(2);

  // What is kept outlasts the window, and space that nothing needs goes back to the disk.
  await page.getByRole('combobox', { name: /^Keep records for/ }).click();
  await page.getByRole('option', { name: '90 days' }).click();
  await page.getByRole('button', { name: 'Free up space' }).click();
  await expect(page.getByText(/freed$/)).toBeVisible();
  await page.getByRole('button', { name: 'Verify all' }).click();
  await expect(page.getByText(/Cache file intact/)).toBeVisible({ timeout: 60_000 });
  await page.reload();
  await expect(page.getByRole('combobox', { name: /^Keep records for/ })).toContainText('90 days');
  await expect(page.getByText(/Cache file intact/)).toBeVisible();
});

test('the coverage map zooms from days to minutes, and its gaps are fetched', async ({ app, page }) => {
  const window = new WindowPage(page);
  const library = new LibraryPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/library');
  await library.download('Yesterday');
  const cells = (): ReturnType<typeof page.locator> =>
    library.coverage().getByRole('row').first().getByRole('gridcell');
  await expect(cells().nth(28)).toHaveAttribute('data-state', 'settled');
  await expect(cells().nth(27)).toHaveAttribute('data-state', 'missing');

  // With the keyboard alone: to the day before, into it, into its first hour, and back to the day.
  await library.coverage().focus();
  for (const key of ['ArrowLeft', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
  await expect(cells()).toHaveCount(24);
  await page.keyboard.press('Enter');
  await expect(cells()).toHaveCount(60);
  await page.keyboard.press('Escape');
  await expect(cells()).toHaveCount(24);

  await page.getByRole('button', { name: 'Fill gaps' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fill gaps' });
  await expect(dialog.getByText('1 gap, 1 d')).toHaveCount(2);
  await dialog.getByRole('checkbox', { name: /Outbound detail/ }).click();
  await dialog.getByRole('button', { name: 'Fill 1 gap' }).click();
  await expect(library.rows()).toHaveCount(2);
  await expect(cells().first()).toHaveAttribute('data-state', 'settled');
  await expect(cells().last()).toHaveAttribute('data-state', 'settled');
  await page.getByRole('button', { name: 'Fill gaps' }).click();
  await expect(dialog.getByText('no gaps')).toHaveCount(1);
});

test('a folder of Parquet is added, filled with what is cached, and removed from the list', async ({
  app,
  page,
}) => {
  const window = new WindowPage(page);
  const library = new LibraryPage(page);
  const detail = new DetailPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/library');
  await library.download('Yesterday');
  await expect(library.rows().first()).toContainText('Complete');
  // A snapshot may hold a record of its last second's end, which belongs to the next day.
  const { count } = await detail.countAfter(() => window.openView('/inbound/detail?period=yesterday'));
  await window.openView('/library');
  await page.getByRole('button', { name: 'Parquet folder' }).click();
  const dialog = page.getByRole('dialog', { name: 'Parquet folders' });
  await expect(dialog).toContainText('No folder follows Local service yet.');
  await dialog.getByRole('button', { name: 'Add a folder' }).click();
  await expect(dialog.getByRole('status')).toContainText(`${count.toLocaleString('en')} records`);
  await dialog.getByRole('button', { name: 'Remove from this list' }).click();
  await expect(dialog).toContainText('No folder follows Local service yet.');
});
