import { Guide, type Tour } from './tour.ts';
import { visitAnalysis } from './visit-analysis.ts';
import { visitAnswers } from './visit-answers.ts';
import { visitApplication } from './visit-application.ts';
import { visitLibrary } from './visit-library.ts';
import { visitRecords } from './visit-records.ts';

/**
 * Leads the window, from its first start on, through every screen with its dialogs and menus. All that is shown is of the
 * built-in service, which is stopped at the end.
 */
export async function visitScreens(tour: Tour): Promise<void> {
  const guide = new Guide(tour);
  await visitEmptyScreens(guide);
  await visitRecords(guide);
  await visitAnalysis(guide);
  await visitLibrary(guide);
  await visitApplication(guide);
  await visitAnswers(guide);
  await guide.open('/settings/connections');
  await guide.button('local-service.stop').click();
  await guide.text('local-service.states.stopped').waitFor();
  await guide.open('/overview');
  await guide.button('local-service.start').waitFor({ timeout: 60_000 });
  await guide.show('overview-stopped');
}

async function visitEmptyScreens(guide: Guide): Promise<void> {
  const { page } = guide;
  await page.getByRole('heading', { level: 1 }).waitFor();
  await guide.show('first-run');
  await guide.showOpened('first-run-reports', guide.button('firstRun.guide'));
  await page.getByRole('button', { name: guide.say('firstRun.local') }).click();
  await page
    .getByRole('heading', { level: 1, name: guide.say('overview.title') })
    .waitFor({ timeout: 60_000 });
  await guide.open('/library');
  await guide.text('library.empty.title').waitFor();
  await guide.show('library-empty');
  await guide.open('/inbound/detail');
  await guide.button('detail.empty.download').waitFor();
  await guide.show('detail-empty');
  await guide.open('/overview');
  await guide.button('overview.volume.download.day').or(guide.button('overview.volume.fetch')).click();
  await guide.text('overview.volume.cachedAll.day').waitFor({ timeout: 60_000 });
  await page.locator('[data-tour=findings]').hover();
  await page.mouse.wheel(0, -5000);
  await guide.show('overview');
  await guide.showOpened(
    'overview-chart-menu',
    page.locator('[data-tour=volume] [aria-haspopup=menu]').first(),
  );
  // It may come back with the size of the window only now.
  await page.locator('aside').first().waitFor();
  await page.keyboard.press('ControlOrMeta+o');
  await guide.showPopup('connection-menu');
}
