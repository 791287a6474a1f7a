import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { test } from '../e2e/fixtures.ts';
import { createSay } from '../e2e/tour/say.ts';
import { settle } from '../e2e/tour/settle.ts';
import { showExample } from '../e2e/tour/show-example.ts';
import { Guide } from '../e2e/tour/tour.ts';
import { readWindowMessages } from '../support/languages/read-window-messages.ts';

/** The pictures that the guide shows, of the sample data, in English and light. */
const folder = 'resources/guide/pictures';
/** 8 to 5, as Help makes room for. */
const WINDOW = { width: 1120, height: 700 };
/** Twice the width that Help shows. */
const PICTURE = { width: 1408, height: 880 };
const QUALITY = 0.72;

test.use({ viewport: WINDOW, deviceScaleFactor: 2, reducedMotion: 'reduce' });

test('pictures of the guide', async ({ app, page }) => {
  test.setTimeout(600_000);
  await mkdir(folder, { recursive: true });
  const encoder = await page.context().newPage();
  const guide = new Guide({
    page,
    say: createSay(readWindowMessages('en')),
    show: async (name) => paint(page, encoder, name),
  });

  await page.goto(app.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('button', { name: guide.say('firstRun.local') }).click();
  await page
    .getByRole('heading', { level: 1, name: guide.say('overview.title') })
    .waitFor({ timeout: 60_000 });
  await guide.button('overview.volume.download.day').or(guide.button('overview.volume.fetch')).click();
  await guide.text('overview.volume.cachedAll.day').waitFor({ timeout: 30_000 });

  await takeRecords(guide);
  await guide.open('/inbound/summary');
  await page.getByRole('table').first().waitFor();
  await guide.show('summary');
  await guide.open('/compare?period=last-24-hours&with=period-before');
  const missing = guide.button('comparison.fetch');
  await missing.click();
  await missing.waitFor({ state: 'hidden' });
  await page.getByRole('rowheader', { name: guide.say('comparison.all') }).waitFor();
  await guide.show('compare');
  await guide.open('/sql');
  await showExample(guide);
  await guide.open('/alerts/new?new=error-share&direction=inbound');
  await guide.text('alerts.past.others').waitFor();
  await guide.show('alert');
});

/** The session of a record that a filter finds, and what sets all that it finds apart. */
async function takeRecords(guide: Guide): Promise<void> {
  const { page } = guide;
  const rows = page
    .getByRole('grid')
    .getByRole('row')
    .filter({ has: page.locator('[role=gridcell][col-id=dateMs]') });
  const inspector = page.getByRole('complementary', { name: guide.say('detail.inspector.title') });
  await guide.open('/inbound/detail?q=service:7 code:5xx');
  await rows.first().click();
  await inspector.getByText('ReponseTime').waitFor();
  await inspector.getByRole('button', { name: guide.say('session.open') }).click();
  await page.getByRole('heading', { level: 1 }).getByText(guide.say('session.title')).waitFor();
  await inspector.getByText('ReponseTime').waitFor();
  await guide.show('session');
  await guide.open('/inbound/detail?q=service:7 code:5xx');
  await rows.first().waitFor();
  await guide.button('detail.tools').click();
  await page.getByRole('menuitem', { name: guide.say('explain.tool') }).click();
  await page.getByRole('list', { name: guide.say('explain.list') }).waitFor();
  await guide.show('explain');
  await guide.button('explain.close').click();
}

/** Writes what the window shows as a small picture. */
async function paint(page: Page, encoder: Page, name: string): Promise<void> {
  await settle(page);
  const shot = (await page.screenshot()).toString('base64');
  const webp = await encoder.evaluate(
    async ({ data, width, height, quality }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const drawing = canvas.getContext('2d');
      if (drawing !== null) {
        drawing.imageSmoothingQuality = 'high';
        drawing.drawImage(image, 0, 0, width, height);
      }
      return canvas.toDataURL('image/webp', quality);
    },
    { data: shot, ...PICTURE, quality: QUALITY },
  );
  await writeFile(join(folder, `${name}.webp`), Buffer.from(webp.split(',')[1] ?? '', 'base64'));
}
