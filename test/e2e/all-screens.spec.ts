import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { LibraryPage } from './page-models/library-page.ts';
import { LocalServicePage } from './page-models/local-service-page.ts';
import { WindowPage } from './page-models/window-page.ts';
import { showScreen } from './show-screen.ts';

/** The Library's dialogs and menu, and back to the Library. */
async function showLibraryParts(page: Page): Promise<void> {
  const library = new LibraryPage(page);
  await page.getByRole('button', { name: 'New download' }).click();
  await page
    .getByText(/on disk/)
    .first()
    .waitFor();
  await showScreen(page, 'library-download');
  await page.keyboard.press('Escape');
  const row = library.row('Inbound detail').first();
  await row.click({ button: 'right' });
  await showScreen(page, 'library-menu');
  await page.getByRole('menuitem', { name: 'Details' }).click();
  await showScreen(page, 'library-details');
  for (const name of ['Certificate', 'Pages', 'Unreadable', 'What changed']) {
    await library.openTab(name);
    await showScreen(page, `library-${name.toLowerCase().replace(' ', '-')}`);
  }
  await library.closeDetails();
  await library.coverage().getByRole('gridcell').nth(29).click();
  await page.getByRole('button', { name: 'Fill gaps' }).click();
  await page
    .getByText(/gaps?, /)
    .first()
    .waitFor();
  await showScreen(page, 'library-gaps');
  await page.keyboard.press('Escape');
  await library.act(row, 'Name and note');
  await showScreen(page, 'library-name');
  await page.keyboard.press('Escape');
  await library.act(row, 'Delete');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await showScreen(page, 'library-undo');
  await page.getByRole('button', { name: 'Undo' }).click();
}

test('every screen, light and dark, wide and narrow', async ({ app, page }) => {
  test.setTimeout(600_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const window = new WindowPage(page);
  const detail = new DetailPage(page);
  const localService = new LocalServicePage(page);

  await page.goto(app.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await showScreen(page, 'first-run');
  await window.startBuiltInService();
  await window.openView('/library');
  await page.getByText('Nothing is cached yet').waitFor();
  await showScreen(page, 'library-empty');
  await window.openView('/inbound/detail');
  await page.getByRole('button', { name: 'Download this period' }).waitFor();
  await showScreen(page, 'detail-empty');

  await window.openView('/overview');
  await page.getByRole('button', { name: 'Download last 24 hours' }).click();
  await page.getByText('These 24 hours are cached').waitFor({ timeout: 30_000 });
  await showScreen(page, 'overview');

  await window.openView('/inbound/detail');
  await detail.rows().nth(3).click();
  await detail.inspector().getByText('ReponseTime').waitFor();
  await showScreen(page, 'detail');
  await window.openView('/inbound/detail?q=code:4xx,5xx');
  await detail.rows().first().waitFor();
  await showScreen(page, 'detail-filtered');
  await page.getByRole('button', { name: 'Export these records' }).click();
  await page.getByRole('radio', { name: 'CSV' }).waitFor();
  await showScreen(page, 'export');
  await page.keyboard.press('Escape');
  await window.openView('/outbound/detail');
  await detail.rows().first().click();
  await detail.inspector().getByText('ActionId').waitFor();
  await showScreen(page, 'detail-outbound');

  await detail.inspector().getByRole('button', { name: 'Open session' }).click();
  await page.getByRole('heading', { level: 1 }).getByText('Session').waitFor();
  await showScreen(page, 'session');
  await window.openView('/sql');
  await page.getByRole('button', { name: 'Slowest services' }).click();
  await page.getByRole('button', { name: /^Run/ }).click();
  await page.getByRole('gridcell').first().waitFor();
  await showScreen(page, 'sql');

  await window.openView('/inbound/summary');
  await page.getByRole('table').getByText('Channel 1').first().waitFor();
  await showScreen(page, 'summary');
  await window.openView('/outbound/summary');
  await page.getByRole('table').getByText('Channel 1').first().waitFor();
  await showScreen(page, 'summary-outbound');
  await page.getByRole('button', { name: /Last 24 hours/ }).click();
  await showScreen(page, 'period');
  await page.keyboard.press('Escape');

  await window.openView('/compare?period=last-24-hours&with=period-before');
  await page.getByRole('rowheader', { name: 'All requests' }).waitFor();
  await showScreen(page, 'compare');
  await window.openView('/alerts');
  await page.getByText('No alerts yet').waitFor();
  await showScreen(page, 'alerts-empty');
  await window.openView('/alerts/new?new=error-share&direction=inbound');
  await page.getByText('With another threshold').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'Log of this alert' }).waitFor();
  await showScreen(page, 'alerts');

  await window.openView('/connections');
  await page.getByRole('rowheader', { name: 'Local service' }).waitFor();
  await page.getByRole('columnheader', { name: 'Needs attention' }).waitFor();
  await showScreen(page, 'all-connections');
  await window.openView('/wall');
  await page.getByText('Requests, last hour').first().waitFor();
  await showScreen(page, 'wall');

  await window.openView('/library');
  await page.getByRole('heading', { name: 'Coverage' }).waitFor();
  await showScreen(page, 'library');
  await showLibraryParts(page);
  await window.openView('/schedules/new');
  await page.getByRole('button', { name: 'Choose…' }).waitFor();
  await showScreen(page, 'schedules');
  await window.openView('/deprecations');
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  await showScreen(page, 'deprecations');
  await page.keyboard.press('ControlOrMeta+k');
  await showScreen(page, 'palette');
  await page.keyboard.press('Escape');
  await window.openView('/local-service');
  await localService.whenRunning();
  await showScreen(page, 'local-service');
  await page.getByLabel('Connector is down').click();
  await localService.chooseQuirks('small-pages');
  await localService.importText('records.ndjson', '{"Date":"yesterday"}\nnot a record\n');
  await localService.panel('Import').getByText('Imported', { exact: true }).waitFor();
  await showScreen(page, 'local-service-simulation');
  await localService.button('End simulation').click();
  await localService.button('Discard').click();
  await window.openView('/settings/connections');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByText('Passed').first().waitFor({ timeout: 30_000 });
  await showScreen(page, 'connections');
  await window.openView('/help');
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await showScreen(page, 'help');
  await window.openView('/help/errors');
  await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor();
  await showScreen(page, 'help-errors');
  await window.openView('/settings');
  await page.getByRole('group', { name: 'Theme' }).waitFor();
  await showScreen(page, 'settings');
  await window.openView('/settings/network');
  await page.getByRole('radio', { name: 'This proxy' }).click();
  await page.getByRole('textbox', { name: 'Address of the proxy' }).fill('socks5://proxy');
  await page.getByText('Only http and https proxies').waitFor();
  await showScreen(page, 'settings-fault');
  await page.getByRole('button', { name: 'Reset Network' }).click();
  await window.openView('/about');
  await page.getByRole('heading', { name: 'Health', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Run the self-test' }).click();
  await page.getByText('Passed').first().waitFor({ timeout: 30_000 });
  await showScreen(page, 'about');
  await window.openView('/settings/keyboard');
  await showScreen(page, 'settings-keyboard');
  await window.stopBuiltInService();
  await window.openView('/overview');
  await page
    .getByText(/Offline/)
    .first()
    .waitFor({ timeout: 60_000 });
  await showScreen(page, 'overview-offline');
  expect(complaints).toEqual([]);
});
