import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { WindowPage } from './page-models/window-page.ts';
import { readServed, type ServedRecord } from './read-served.ts';

const hasPart = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

/** Queries as a person would guess them, and what each means of the records as served. */
const GUESSED: Readonly<Record<string, (record: ServedRecord, client: string) => boolean>> = {
  'code:500 OR code:504': ({ ReponseCode: code }) => code === 500 || code === 504,
  'NOT code:200': ({ ReponseCode: code }) => code !== 200,
  'code:(200 OR 504) -channel:1': ({ ReponseCode: code, Channel }) =>
    (code === 200 || code === 504) && Channel !== 1,
  'client:FIRST': ({ Client }, first) => hasPart(Client, first),
  'response:>400 Channel:1,2': ({ ReponseTime: ms, Channel }) => ms > 400 && (Channel === 1 || Channel === 2),
  'error:* AND !error:/time.?d? ?out/': ({ Error }) => Error !== '' && !/time.?d? ?out/i.test(Error),
  'code:5* OR (client:FIRST* channel:1)': ({ ReponseCode: code, Client, Channel }, first) =>
    String(code).startsWith('5') || (Client.toLowerCase().startsWith(first.toLowerCase()) && Channel === 1),
};

/** Texts of cells that begin well before the name of a field on their row, and go on below it. */
function findCovered(rows: readonly Element[]): string[] {
  return rows.flatMap((row) => {
    const { width, right } = getComputedStyle(row, '::after');
    const end = row.closest('.record-grid')?.getBoundingClientRect().right ?? 0;
    const start = end - parseFloat(right) - parseFloat(width);
    return [...row.querySelectorAll('.ag-cell')].flatMap((cell) => {
      const place = cell.getBoundingClientRect();
      const textEnd = place.right - parseFloat(getComputedStyle(cell).paddingRight);
      return place.left + 40 < start && textEnd > start ? [cell.textContent] : [];
    });
  });
}

test('queries as people guess them find what they mean, stay in chips and links, and are offered', async ({
  app,
  page,
  browser,
}) => {
  const window = new WindowPage(page);
  const detail = new DetailPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/inbound/detail');
  await detail.choosePeriod('Yesterday');
  const period = await detail.download();
  await page.getByText(/^fetched/).waitFor({ timeout: 30_000 });
  const [name = ''] = await detail.readColumn('client');
  const [first = ''] = name.split(' ');
  const type = async (query: string): Promise<number> => {
    const { count } = await detail.countAfter(async () => {
      await detail.search().fill(query);
      await page.keyboard.press('Enter');
    });
    return count;
  };
  const counts: Record<string, number> = {};
  for (const query of Object.keys(GUESSED)) counts[query] = await type(query.replaceAll('FIRST', first));

  // Brackets are one chip, which is edited as text.
  const group = detail.chip('Query');
  await expect(group).toContainText(`client:${first}*`);
  await group.click();
  const field = page.getByRole('textbox', { name: 'Query' });
  await field.fill('code:404 OR');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByRole('alert')).toContainText('joins conditions');
  await field.fill('code:404 OR -channel:1');
  const edited = await detail.countAfter(() => page.getByRole('button', { name: 'Apply' }).click());
  await expect(detail.search()).toHaveValue('code:404 OR -channel:1');

  // What was perhaps meant is offered, and taken by a click.
  await detail.search().fill('code:500 or code:504');
  await page.keyboard.press('Escape');
  await detail.search().fill('code:500 or code:504');
  await page.keyboard.press('Enter');
  const offered = await detail.countAfter(() => page.getByRole('button', { name: 'Did you mean' }).click());
  await page.getByRole('button', { name: 'How to search' }).click();
  await expect(page.getByText('Regular expression (RE2)')).toBeVisible();
  await page.keyboard.press('Escape');
  await test.step('a field that no column in view shows is named beside what cells say, once its rows are there', async () => {
    const found = page.locator('.ag-row[data-found]');
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/call/records/open-view', async (route) => {
      await released;
      await route.continue();
    });
    await detail.search().fill('message');
    await page.keyboard.press('Enter');
    await page.locator('.histogram[data-stale]').waitFor();
    await expect(found).toHaveCount(0);
    release();
    await found.first().waitFor();
    await expect.poll(() => found.evaluateAll(findCovered)).toEqual([]);
  });
  await test.step('three filters and the tools beside them take one line at 1024', async () => {
    await type('code:404 channel:1 service:2');
    await page.setViewportSize({ width: 1024, height: 700 });
    const lines = () =>
      page
        .locator('.chips > *')
        .filter({ visible: true })
        .evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().top)));
    await expect.poll(async () => new Set(await lines()).size).toBe(1);
    expect(await lines()).toHaveLength(4);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  await type('code:404 OR -channel:1');

  // The link keeps it: reloaded, and in a browser that knows nothing of this one.
  await page.reload();
  await expect(detail.search()).toHaveValue('code:404 OR -channel:1');
  await expect(page.getByRole('main').getByRole('status').first()).toContainText(
    edited.count.toLocaleString('en-US'),
  );
  const link = new URL(page.url()).hash;
  await window.stopBuiltInService();

  const served = await readServed(app.dataFolder, period);
  expect(served.length).toBeGreaterThan(1000);
  const expected = Object.entries(GUESSED).map(([query, meets]) => [
    query,
    served.filter((record) => meets(record, first)).length,
  ]);
  expect(counts).toEqual(Object.fromEntries(expected));
  expect(edited.count).toBe(
    served.filter(({ ReponseCode: code, Channel }) => code === 404 || Channel !== 1).length,
  );
  expect(offered.count).toBe(counts['code:500 OR code:504']);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);

  const address = await app.restart();
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(address);
  await other.getByRole('heading', { level: 1 }).first().waitFor();
  await other.goto(`${new URL(address).origin}/${link}`);
  await expect(new DetailPage(other).search()).toHaveValue('code:404 OR -channel:1');
  await expect(other.getByRole('main').getByRole('status').first()).toContainText(
    edited.count.toLocaleString('en-US'),
  );
  await context.close();
});
