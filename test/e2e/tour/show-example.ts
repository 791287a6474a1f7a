import type { Guide } from './tour.ts';

/** Runs an example of the SQL screen, which is open, and shows what it finds. */
export async function showExample(guide: Guide): Promise<void> {
  const { page } = guide;
  await page.getByRole('button', { name: guide.say('sql.examples.slowest') }).click();
  await page
    .getByRole('button', { name: guide.say('sql.run') })
    .first()
    .click();
  await page.getByRole('gridcell').first().waitFor();
  await guide.show('sql');
}
