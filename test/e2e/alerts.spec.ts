import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { WindowPage } from './page-models/window-page.ts';

test('an alert for each service: suggested by the past, at two levels, with a state each', async ({
  app,
  page,
}) => {
  const window = new WindowPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/inbound/detail?period=last-7-days');
  await new DetailPage(page).download();

  await window.openView('/alerts/new');
  await expect(page.getByText(/^Suggested from .* of the past/)).toBeVisible();
  // What is suggested is what it begins with.
  await expect(page.getByRole('button', { name: 'Use', exact: true })).toBeHidden();
  await page.getByLabel('Together or one by one').click();
  await page.getByRole('option', { name: 'for each service' }).click();
  await expect(page.getByText(/for all values$/)).toBeVisible();
  await page.getByRole('button', { name: 'Add a critical level' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();

  const states = page.getByRole('region', { name: 'State by value' });
  await expect(states.getByRole('row', { name: /Service 2/ })).toBeVisible({ timeout: 30_000 });
  await states.getByRole('button', { name: /^Mute .*Service 2/ }).click();
  await expect(states.getByRole('row', { name: /Service 2.*, muted/ })).toBeVisible();
});
