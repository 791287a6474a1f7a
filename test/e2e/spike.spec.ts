import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { WindowPage } from './page-models/window-page.ts';

test('from a spike of failures to the payload of one of them, by mouse and by keyboard alone', async ({
  app,
  page,
}) => {
  test.setTimeout(300_000);
  const window = new WindowPage(page);
  const detail = new DetailPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/inbound/detail');
  await detail.choosePeriod('Yesterday');
  await detail.download();
  await page.getByText(/^fetched/).waitFor({ timeout: 30_000 });

  // By mouse: a time is dragged over, failures are chosen from the legend, a record is clicked.
  const { count: inTime } = await detail.countAfter(() => detail.brushWithMouse(0.3, 0.7));
  const { count: failed } = await detail.countAfter(() =>
    page
      .getByRole('list', { name: 'Legend' })
      .getByRole('button', { name: /^Failed(?!,)/ })
      .click(),
  );
  expect(failed).toBeGreaterThan(0);
  expect(failed).toBeLessThan(inTime);
  await detail.rows().first().click();
  await expect(detail.inspector().getByText('"type"').first()).toBeVisible();
  const idByMouse = await detail.inspector().locator('[data-field=sessionId] dd').innerText();
  const address = page.url();

  // On the way back from another screen the record is still selected.
  await page.getByRole('link', { name: /^Overview/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.goBack();
  await expect(detail.inspector().locator('[data-field=sessionId] dd')).toHaveText(idByMouse);

  // By keyboard alone, from another screen: palette, a query, the histogram, the table, the payload.
  await window.openView('/overview');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('inbound detail');
  await page.keyboard.press('Enter');
  await detail.rows().first().waitFor();
  await page.keyboard.press('/');
  await expect(detail.search()).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await detail.countAfter(async () => {
    await page.keyboard.type('code:5xx');
    await page.keyboard.press('Enter');
  });
  while (!(await detail.brush().evaluate((plot) => plot === document.activeElement))) {
    await page.keyboard.press('Tab');
  }
  for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowRight');
  for (let step = 0; step < 60; step += 1) await page.keyboard.press('Shift+ArrowRight');
  const { count: byKeyboard } = await detail.countAfter(() => page.keyboard.press('Enter'));
  expect(byKeyboard).toBeGreaterThan(0);
  const isInGrid = () => page.evaluate(() => document.activeElement?.closest('[role=gridcell]') !== null);
  for (let presses = 0; presses < 40 && !(await isInGrid()); presses += 1) {
    await page.keyboard.press((await isInHeader(page)) ? 'ArrowDown' : 'Tab');
  }
  expect(await isInGrid()).toBe(true);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(detail.inspector().getByText('"type"').first()).toBeVisible();

  // The address brings the same records and failure back.
  const { count: again } = await detail.countAfter(() => page.goto(address));
  expect(again).toBe(failed);
  // The rows of the filter before stay until the new ones are there.
  await expect(async () => {
    await detail.rows().first().click();
    await expect(detail.inspector().locator('[data-field=sessionId] dd')).toHaveText(idByMouse, {
      timeout: 2000,
    });
  }).toPass({ timeout: 30_000 });
});

function isInHeader(page: DetailPage['page']): Promise<boolean> {
  return page.evaluate(() => document.activeElement?.closest('[role=columnheader]') !== null);
}
