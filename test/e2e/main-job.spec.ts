import { parse } from 'csv-parse/sync';
import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { WindowPage } from './page-models/window-page.ts';
import { readServed, type ServedPeriod } from './read-served.ts';

test.use({ hasSampleRecords: false });

test('from first run to an offline export of what the service served', async ({ app, page }) => {
  const window = new WindowPage(page);
  const detail = new DetailPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await expect(window.main().getByText('Up', { exact: true }).first()).toBeVisible();

  await window.openView('/inbound/detail');
  await detail.choosePeriod('Yesterday');
  const period: ServedPeriod = await detail.download();
  await expect(page.getByRole('slider')).toBeVisible();
  const online = await detail.dates();
  expect(online.length).toBeGreaterThan(10);
  await detail.rows().nth(2).click();
  await expect(detail.inspector().getByText('ReponseTime')).toBeVisible();
  await expect(detail.inspector().getByText('"type"').first()).toBeVisible();

  await window.stopBuiltInService();
  await page.reload();
  await window.openView('/inbound/detail');
  await detail.choosePeriod('Yesterday');
  await expect.poll(() => detail.dates()).toEqual(online);

  const exported = parse(await detail.exportCsv(), { columns: true, bom: true }) as unknown as Record<
    string,
    string
  >[];
  const served = await readServed(app.dataFolder, period);
  // The table shows the newest first, and the export keeps that order.
  const inOrder = [...served].reverse();
  const asText = inOrder.map((document) =>
    Object.fromEntries(Object.entries(document).map(([field, value]) => [field, String(value)])),
  );
  expect(exported.length).toBeGreaterThan(1000);
  // Beside the date as received stands that of the shown clock, whose name the column has.
  const zoned = Object.keys(exported[0] ?? {}).filter((name) => /^Date \(.+\)$/.test(name));
  expect(zoned).toHaveLength(1);
  const asServed = exported.map((row) =>
    Object.fromEntries(
      Object.entries(row).filter(([name]) => !zoned.includes(name) && name !== 'Other fields'),
    ),
  );
  // The service sends the fields of the specification and no other.
  expect(new Set(exported.map((row) => row['Other fields']))).toEqual(new Set(['']));
  expect(asServed).toEqual(asText);
});

test('a restart finds the connection and every cached record again', async ({ app, page }) => {
  const window = new WindowPage(page);
  const detail = new DetailPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/inbound/detail');
  await detail.download();
  const before = await detail.dates();
  await page.goto(await app.restart());
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await window.openView('/inbound/detail');
  await expect.poll(() => detail.dates()).toEqual(before);
});
