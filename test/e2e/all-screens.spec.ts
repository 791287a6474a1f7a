import { readWindowMessages } from '../support/languages/read-window-messages.ts';
import { expect, test } from './fixtures.ts';
import { showScreen } from './show-screen.ts';
import { createSay } from './tour/say.ts';
import { visitScreens } from './tour/visit-screens.ts';

test('every screen, light and dark, wide and narrow', async ({ app, page }) => {
  test.setTimeout(2_400_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(app.url);
  await visitScreens({
    page,
    say: createSay(readWindowMessages('en')),
    show: (name) => showScreen(page, name),
  });
  expect(complaints).toEqual([]);
});
