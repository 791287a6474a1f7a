import type { Guide } from './tour.ts';

/** Summaries, incidents, conversations, comparisons, alerts, and all connections at a glance. */
export async function visitAnalysis(guide: Guide): Promise<void> {
  await visitSummary(guide);
  const { page } = guide;
  await guide.open('/incidents');
  await page.getByRole('grid').getByRole('row').nth(1).click();
  await guide.button('incidents.panel.name').waitFor();
  await guide.show('incidents');
  await guide.showOpened('incident-name', guide.button('incidents.panel.name'));

  await guide.button('cases.add.action').click();
  await guide.dialog().waitFor();
  await guide.show('case-add');
  await guide.button('cases.add.add').click();
  await guide.dialog().waitFor({ state: 'hidden' });
  // What tells of it would lie over the end of a narrow window for some seconds.
  await page
    .getByRole('status')
    .getByRole('button', { name: guide.say('common.close') })
    .click();
  await visitCases(guide);

  await guide.open('/conversations');
  await page.getByRole('gridcell').first().waitFor();
  await guide.show('conversations');
  await guide.open('/conversations?tab=times');
  await page.getByRole('rowheader').first().waitFor();
  await guide.show('conversations-times');

  await guide.open('/compare?period=last-24-hours&with=period-before');
  await page.getByRole('rowheader', { name: guide.say('comparison.all') }).waitFor();
  await guide.show('compare');

  await guide.open('/alerts');
  await guide.text('alerts.empty').waitFor();
  await guide.show('alerts-empty');
  await guide.open('/alerts/new?new=error-share&direction=inbound');
  await guide.text('alerts.past.others').waitFor();
  await guide.button('common.item.save').click();
  await guide.heading('alerts.log.title').waitFor();
  await guide.show('alerts');
  await guide.showOpened('alerts-mute', guide.button('alerts.mute.rule'));
  await guide.showOpened(
    'alerts-measures',
    page.getByRole('combobox', { name: guide.say('alerts.parts.measure') }),
  );
  await guide.showOpened('alerts-delete', guide.button('common.item.delete'));

  await guide.open('/connections');
  await page.getByRole('columnheader', { name: guide.say('glance.findings') }).waitFor();
  await page.getByRole('rowheader').first().waitFor();
  await guide.show('all-connections');
  await guide.open('/wall');
  // Of the last hour, or of the last one that is cached: the way here may take long.
  await page.getByRole('term').first().waitFor();
  await guide.show('wall');
}

async function visitCases(guide: Guide): Promise<void> {
  const { page } = guide;
  await guide.open('/cases');
  await page.getByRole('rowheader').first().waitFor();
  await guide.show('cases');
  await page.getByRole('rowheader').first().getByRole('link').click();
  await guide.button('cases.addText').click();
  await page.getByRole('textbox', { name: guide.say('cases.text.label') }).fill('# 16:04\n\n- **1**\n- 2');
  await guide.text('cases.text.kept').waitFor();
  await guide.show('case-text');
  await guide.button('cases.text.done').click();
  await guide.show('case');
  await guide.showOpened('case-export', guide.button('cases.export.button'));
  await guide.showOpened('case-versions', guide.button('cases.versions.title'));
}

async function visitSummary(guide: Guide): Promise<void> {
  const { page } = guide;
  await guide.open('/inbound/summary');
  const channel = guide.say('summary.channel', { value: '1' });
  await page.getByRole('table').getByText(channel).first().waitFor();
  await guide.show('summary');
  await page.getByRole('table').getByText(channel).first().click({ button: 'right' });
  await guide.showPopup('summary-menu');
  await guide.open('/outbound/summary');
  await page.getByRole('table').getByText(channel).first().waitFor();
  await guide.show('summary-outbound');
  await guide.showOpened(
    'period',
    page.getByRole('button', { name: guide.say('period.presets.last-24-hours') }).first(),
  );
  await guide.showOpened('summary-export', guide.button('summary.export'));
}
