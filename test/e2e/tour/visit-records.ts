import { expect } from '@playwright/test';
import { showExample } from './show-example.ts';
import type { Guide } from './tour.ts';

/** Both tables of records, what belongs to one, the session of a record, and statements over all. */
export async function visitRecords(guide: Guide): Promise<void> {
  await visitDetail(guide);
  const { page } = guide;
  await guide.open('/outbound/detail');
  const inspector = page.getByRole('complementary', { name: guide.say('detail.inspector.title') });
  // The first row may still be one of the table before.
  await expect(async () => {
    await listRows(guide).first().click();
    await inspector.getByText('ActionId').waitFor({ timeout: 2_000 });
  }).toPass();
  await guide.show('detail-outbound');
  await inspector.getByRole('button', { name: guide.say('session.open') }).click();
  await page.getByRole('heading', { level: 1 }).getByText(guide.say('session.title')).waitFor();
  await guide.show('session');

  await visitDetailTools(guide);

  await guide.open('/sql');
  await page.getByRole('button', { name: guide.say('sql.examples.slowest') }).waitFor();
  await guide.show('sql-empty');
  await showExample(guide);
}

function listRows({ page }: Guide) {
  return page
    .getByRole('grid')
    .getByRole('row')
    .filter({ has: page.locator('[role=gridcell][col-id=dateMs]') });
}

/** The menu has every tool, also where the table leaves no room for buttons. */
async function chooseTool(guide: Guide, name: string): Promise<void> {
  await guide.button('detail.tools').click();
  await guide.page.getByRole('menuitem', { name: guide.say(name) }).click();
}

async function visitDetail(guide: Guide): Promise<void> {
  const { page } = guide;
  await guide.open('/inbound/detail');
  const inspector = page.getByRole('complementary', { name: guide.say('detail.inspector.title') });
  // A row may still be loading.
  await expect(async () => {
    await listRows(guide).nth(3).click();
    await inspector.getByText('ReponseTime').waitFor({ timeout: 2_000 });
  }).toPass();
  await guide.show('detail');
  await inspector.getByRole('button', { name: guide.say('marks.names.star') }).click();
  await inspector.getByLabel(guide.say('marks.note')).waitFor();
  await guide.show('detail-mark');
  await listRows(guide)
    .nth(3)
    .click({ button: 'right', position: { x: 60, y: 10 } });
  await guide.showPopup('detail-cell-menu');
  // The menu that was closed gives the focus back a moment later, and with it the row that it was of.
  await expect(async () => {
    await listRows(guide).nth(0).click();
    await listRows(guide)
      .nth(3)
      .click({ modifiers: ['Control'] });
    await page.keyboard.press('c');
    await guide.dialog().waitFor({ timeout: 2_000 });
  }).toPass();
  await guide.showPopup('detail-compare');

  await guide.open('/inbound/detail?q=code:4xx,5xx');
  await listRows(guide).first().waitFor();
  await guide.show('detail-filtered');
  await guide.showOpened('detail-saved', guide.button('detail.saved.open'));
  await chooseTool(guide, 'detail.export');
  await guide.showPopup('detail-export');
  await page.getByRole('radio', { name: guide.say('detail.tabs.errors') }).click();
  await page.getByRole('columnheader', { name: guide.say('detail.families.grouped.errorFamily') }).waitFor();
  await guide.show('detail-errors');
  await visitFamily(guide);
  await page.getByRole('radio', { name: guide.say('detail.tabs.patterns') }).click();
  await page.getByRole('columnheader', { name: guide.say('detail.patterns.pattern') }).waitFor();
  await page.locator('tbody [aria-expanded]').first().click();
  await guide.show('detail-patterns');
  await page.getByRole('radio', { name: guide.say('detail.tabs.records') }).click();
}

/** The page of a family, and the way back to the errors as they were. */
async function visitFamily(guide: Guide): Promise<void> {
  const { page } = guide;
  await page.locator('tbody [aria-expanded]').first().click();
  await guide.button('detail.families.open').click();
  await guide.heading('family.samples.title').waitFor();
  await guide.show('family');
  await guide.button('family.mergeWith').click();
  await guide.dialog().locator('[aria-pressed]').first().waitFor();
  await guide.showPopup('family-merge');
  await page.goBack();
  await page.getByRole('columnheader', { name: guide.say('detail.families.grouped.errorFamily') }).waitFor();
}

async function visitDetailTools(guide: Guide): Promise<void> {
  const { page } = guide;
  const filters = page.getByRole('group', { name: guide.say('detail.filters.label') });
  await guide.open('/inbound/detail?q=service:>=0');
  await listRows(guide).first().waitFor();
  await guide.showOpened('detail-columns', guide.button('detail.columnChooser'));
  await guide.showOpened('detail-tools', guide.button('detail.tools'));
  await guide.showOpened('detail-saved', page.getByRole('button', { name: guide.say('detail.saved.open') }));
  await guide.showOpened('detail-facet', filters.locator('button[aria-haspopup]').first());
  await guide.showOpened('detail-add-filter', guide.button('detail.filters.add'));
  await guide.open('/inbound/detail?q=code:5xx');
  await listRows(guide).first().waitFor();
  await chooseTool(guide, 'explain.tool');
  await page.getByRole('list', { name: guide.say('explain.list') }).waitFor();
  await guide.show('detail-explain');
  await guide.button('explain.close').click();
  await page.getByRole('combobox', { name: guide.say('detail.search') }).fill('service:x code:');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').first().waitFor();
  await guide.show('detail-query-fault');
}
