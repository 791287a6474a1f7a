import type { Guide } from './tour.ts';

/** What a connection asks in a dialog. */
const ASKED = {
  'connections-outcome': 'outcome.open',
  'connections-names': 'names.edit',
  'connections-delete': 'connections.delete',
};

/** Deprecations, the local service, connections, settings, Help and About. */
export async function visitApplication(guide: Guide): Promise<void> {
  const { page } = guide;
  await guide.open('/deprecations');
  await guide.heading('deprecations.timeline').waitFor();
  await guide.show('deprecations');
  await page.getByText(guide.say('deprecations.traffic.edit'), { exact: true }).first().click();
  await guide.showPopup('deprecations-signs');
  await page.keyboard.press('ControlOrMeta+k');
  await guide.showPopup('palette');
  await page.keyboard.press('Shift+Slash');
  await guide.showPopup('shortcuts');
  await visitLocalService(guide);

  await guide.open('/settings/connections');
  await page.getByRole('button', { name: guide.say('connections.test') }).click();
  await guide.text('connections.verdicts.passed').waitFor({ timeout: 30_000 });
  await guide.show('connections');
  for (const [name, key] of Object.entries(ASKED)) {
    // The connections are a list too, which stays.
    await guide.button(key).click();
    await guide.dialog().waitFor();
    await guide.show(name);
    await page.keyboard.press('Escape');
    await guide.dialog().waitFor({ state: 'hidden' });
  }
  await guide.open('/settings/connections/new');
  await page.getByLabel(guide.say('connections.address'), { exact: true }).fill('http://reports.example.com');
  await page.getByRole('button', { name: guide.say('connections.save'), exact: true }).click();
  await guide.text('connections.faults.nameMissing').waitFor();
  await guide.show('connections-fault');

  await guide.open('/help');
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await guide.show('help');
  await guide.open('/help/errors');
  await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor();
  await guide.show('help-errors');
  await visitSettings(guide);
  await guide.open('/about');
  await guide.heading('about.health.title').waitFor();
  await guide.button('about.selfTest.run').click();
  await guide.text('about.selfTest.outcomes.passed').waitFor({ timeout: 30_000 });
  await guide.show('about');
}

async function visitLocalService(guide: Guide): Promise<void> {
  const { page } = guide;
  const panel = (key: string) => page.getByRole('region', { name: guide.say(key), exact: true }).first();
  await guide.open('/local-service');
  await panel('local-service.service.title')
    .getByText(guide.say('local-service.states.running'), { exact: true })
    .waitFor({ timeout: 60_000 });
  await guide.show('local-service');
  await page.getByLabel(guide.say('local-service.simulation.connectorDown')).click();
  await panel('local-service.quirks.title').getByRole('button').first().click();
  const quirk = page.getByRole('switch', { name: 'small-pages' }).or(page.getByLabel('small-pages')).first();
  await quirk.click();
  const chooser = page.waitForEvent('filechooser');
  await guide.button('local-service.importRecords').click();
  const lines = Buffer.from('{"Date":"yesterday"}\nnot a record\n');
  await (await chooser).setFiles({ name: 'records.ndjson', mimeType: 'text/plain', buffer: lines });
  await panel('local-service.import.title')
    .getByText(guide.say('local-service.import.states.done'), { exact: true })
    .waitFor();
  await guide.show('local-service-simulation');
  await guide.button('local-service.simulation.endAll').click();
  await guide.button('local-service.quirks.discard').click();
}

async function visitSettings(guide: Guide): Promise<void> {
  const { page } = guide;
  await guide.open('/settings');
  await page.getByRole('group', { name: guide.say('settings.labels.theme') }).waitFor();
  await guide.show('settings');
  for (const section of [
    'following',
    'alerts',
    'storage',
    'exports',
    'privacy',
    'local-service',
    'advanced',
  ]) {
    await guide.open(`/settings/${section}`);
    await guide.heading(`settings.sections.${section}`).waitFor();
    await guide.show(`settings-${section}`);
  }
  await guide.open('/settings/network');
  await page.getByRole('radio', { name: guide.say('settings.choices.proxyMode.manual') }).click();
  await page.getByRole('textbox', { name: guide.say('settings.labels.proxyAddress') }).fill('socks5://proxy');
  await guide.text('settings.faults.proxy-scheme').waitFor();
  await guide.show('settings-fault');
  await guide.button('settings.reset', { section: guide.say('settings.sections.network') }).click();
  await guide.open('/settings/keyboard');
  await guide.heading('settings.sections.keyboard').waitFor();
  await guide.show('settings-keyboard');
  await guide.open('/settings/advanced');
  await guide.showOpened('settings-reset', guide.button('settings.rows.everything.action'));
}
