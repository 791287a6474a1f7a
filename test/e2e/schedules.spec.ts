import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { SchedulesPage } from './page-models/schedules-page.ts';
import { WindowPage } from './page-models/window-page.ts';

test('an export becomes a schedule, which writes its file, fetches what it lacks, and is there after a restart', async ({
  app,
  page,
}) => {
  const window = new WindowPage(page);
  const detail = new DetailPage(page);
  const schedules = new SchedulesPage(page);
  await page.goto(app.url);
  await window.startBuiltInService();
  await window.openView('/outbound/detail');
  await detail.download();
  await page.getByRole('button', { name: 'Download again' }).waitFor();
  await page
    .getByRole('main')
    .getByRole('button', { name: /Export/u })
    .first()
    .click();
  await page.getByRole('radio', { name: 'NDJSON' }).click();
  await page.getByRole('button', { name: 'Schedule…' }).click();

  await schedules.query().fill('code:>=400');
  await schedules.chooseFolder();
  await schedules.save();
  await schedules.runNow();
  await expect(schedules.runs().filter({ hasText: 'Written' })).toHaveCount(1);
  const folder = join(app.dataFolder, 'schedules', 'Outbound detail');
  const [file = ''] = await readdir(folder);
  expect(file).toMatch(/^Outbound detail \d{4}-\d\d-\d\d\.ndjson$/u);
  const lines = (await readFile(join(folder, file), 'utf8')).trimEnd().split('\n');
  for (const line of lines) {
    expect((JSON.parse(line) as { ReponseCode: number }).ReponseCode).toBeGreaterThanOrEqual(400);
  }

  await page.goto(await app.restart());
  await window.openView('/schedules');
  await expect(schedules.item('Outbound detail')).toContainText('every day at 07:00');
  await expect(schedules.runs()).toContainText([file]);
});
