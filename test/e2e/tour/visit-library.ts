import type { Guide } from './tour.ts';

/** The Library with its dialogs and menus, and the schedules. */
export async function visitLibrary(guide: Guide): Promise<void> {
  const { page } = guide;
  await guide.open('/library');
  await guide.heading('library.coverage.title').waitFor();
  await guide.show('library');
  await guide.button('library.newDownload').click();
  await guide.text('library.forecast.title').waitFor();
  await guide
    .dialog()
    .locator('[role=status] .cs-stack, [role=status] p, [role=status] span')
    .first()
    .waitFor();
  await guide.showPopup('library-download');
  await guide.showOpened('library-import', guide.button('imports.open'));
  await guide.showOpened('library-datasets', guide.button('datasets.open'));

  const row = page
    .getByRole('grid', { name: guide.say('library.table.label') })
    .locator('tbody tr')
    .filter({ hasText: guide.say('library.report.inbound-detail') })
    .first();
  const act = async (action: string): Promise<void> => {
    await row.click({ button: 'right', position: { x: 40, y: 12 } });
    await page.getByRole('menuitem', { name: guide.say(`library.action.${action}`), exact: true }).click();
  };
  await row.click({ button: 'right', position: { x: 40, y: 12 } });
  await guide.showPopup('library-menu');
  await act('details');
  const details = page.getByRole('complementary', { name: guide.say('library.details.title') });
  await details.waitFor();
  await guide.show('library-details');
  await details.locator('[data-part=reading]').scrollIntoViewIfNeeded();
  await guide.show('library-details-end');
  await details.getByRole('button', { name: guide.say('library.details.close') }).click();
  await details.waitFor({ state: 'hidden' });

  await page
    .getByRole('grid', { name: guide.say('library.coverage.title') })
    .getByRole('gridcell')
    .nth(29)
    .click();
  await page
    .getByRole('button', { name: guide.say('library.gaps.fetch') })
    .first()
    .click();
  await guide.showPopup('library-gaps');
  await act('rename');
  await guide.showPopup('library-name');
  await act('delete');
  await guide.button('library.delete.undo').waitFor();
  await guide.show('library-undo');
  await guide.button('library.delete.undo').click();

  await guide.open('/schedules');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await guide.show('schedules-empty');
  await guide.open('/schedules/new');
  await guide.button('schedules.fields.choose').waitFor();
  await guide.show('schedules');

  await guide.open('/planned');
  await guide.button('planned.new').click();
  await guide.show('planned');
  await guide.open('/planned/marks');
  await guide.button('planned.newMark').click();
  await guide.show('planned-marks');

  await guide.open('/service-levels/new');
  await page.getByText(guide.say('levels.form.someHours'), { exact: true }).click();
  await guide.show('service-levels-form');
  await guide.button('common.item.save').click();
  await guide.heading('levels.calendar').waitFor();
  await guide.show('service-levels');
}
