import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { WindowPage } from './page-models/window-page.ts';
import { showScreen } from './show-screen.ts';

test('marks, names, saved views and statements are made, found again and shown', async ({ app, page }) => {
  test.setTimeout(600_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  const window = new WindowPage(page);
  const detail = new DetailPage(page);
  const status = () => page.getByRole('main').getByRole('status').first();

  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/inbound/detail');
  // The overview's hours, which the statement below is about: yesterday has none of them before midnight.
  await detail.choosePeriod('Last 24 hours');
  await detail.download();
  await page.getByRole('button', { name: 'Download again' }).waitFor({ timeout: 30_000 });

  // A record is marked, with a note, and found by both.
  await detail.dates();
  await detail.rows().nth(2).click();
  await detail.inspector().getByRole('button', { name: 'Star' }).click();
  await detail.inspector().getByLabel('Note').fill('Ask about <b>this</b>');
  await showScreen(page, 'marks-editor');
  await detail.inspector().getByRole('button', { name: 'Save note' }).click();
  await expect(detail.inspector().getByRole('button', { name: 'Save note' })).toHaveCount(0);
  await detail.search().fill('mark:');
  await page.getByRole('option', { name: 'star' }).waitFor();
  await showScreen(page, 'marks-completion');
  await detail.search().fill('mark:star note:"<b>this"');
  await detail.search().press('Enter');
  await expect(status()).toContainText('1 of');
  await detail.countAfter(() => page.getByRole('button', { name: 'Clear', exact: true }).click());
  await detail.dates();

  // Two records beside one another, the date in the shown clock.
  const compared = page.getByRole('dialog');
  await detail.rows().nth(0).click();
  await detail
    .rows()
    .nth(3)
    .click({ modifiers: ['Control'] });
  await page.keyboard.press('c');
  await expect(compared.getByText('Date (UTC)')).toBeVisible();
  await showScreen(page, 'compare');
  await page.keyboard.press('Escape');

  // A channel is named from the list of values, and shown by its name: one of the rows in view.
  const [channel = ''] = await detail.readColumn('channel');
  await detail.chip('Channel').click();
  await showScreen(page, 'facets');
  // The smallest window folds the chips away, and their list with them.
  await detail.chip('Channel').click();
  await page.getByRole('button', { name: `Name ${channel}…`, exact: true }).click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).last().fill('<i>WhatsApp</i>');
  await page.getByRole('dialog').getByRole('combobox', { name: 'Colour' }).last().click();
  await page.getByRole('option', { name: 'Pink' }).click();
  await showScreen(page, 'names-editor');
  await page.getByRole('button', { name: 'Save names' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('grid').getByText('<i>WhatsApp</i>').first()).toBeVisible();

  // By channel, with the median; the named one has its colour whatever is shown.
  const histogram = page.getByRole('region', { name: 'Records', exact: true });
  await histogram.getByRole('combobox', { name: 'Split by' }).click();
  await page.getByRole('option', { name: 'Channel' }).click();
  await histogram.getByRole('button', { name: 'Median response' }).click();
  await expect(histogram.locator('[data-series=pink]').first()).toBeVisible();
  await showScreen(page, 'histogram-median');
  const entries = await histogram.getByRole('listitem').allInnerTexts();
  const plain = entries.map((text) => /^(\d+)\s+[\d,]+$/.exec(text)?.[1]).find(Boolean) ?? '';
  const entry = histogram.getByRole('button', { name: new RegExp(`^${plain} `) });
  const before = (await entry.locator('[data-series]').getAttribute('data-series')) ?? '';
  await detail.countAfter(() => entry.click());
  await expect(histogram.getByRole('listitem')).toHaveCount(1);
  await expect(entry.locator('[data-series]')).toHaveAttribute('data-series', before);

  // The view is saved, and found from the palette.
  await page.getByRole('button', { name: 'Saved' }).click();
  await page.getByPlaceholder('Name').fill('One channel');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('One channel').waitFor();
  await showScreen(page, 'saved-views');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('One chan');
  await expect(page.getByRole('option', { name: /One channel/ })).toBeVisible();
  await page.keyboard.press('Escape');

  // A statement runs over what the overview shows, draws a chart, and is saved.
  await window.openView('/overview');
  await page.getByRole('button', { name: 'Open as SQL' }).click();
  await page.getByRole('gridcell').first().waitFor();
  await showScreen(page, 'sql-volume');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('Volume');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('Volume');
  await expect(page.getByRole('option', { name: 'Volume' })).toBeVisible();
  await page.keyboard.press('Escape');

  expect(complaints).toEqual([]);
});
