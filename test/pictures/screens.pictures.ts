import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LANGUAGES, toLocale } from '../../src-main/common/model/settings/language.ts';
import { expect, test } from '../e2e/fixtures.ts';
import { findCutWords } from '../e2e/tour/find-cut-words.ts';
import { createSay } from '../e2e/tour/say.ts';
import { settle } from '../e2e/tour/settle.ts';
import { visitScreens } from '../e2e/tour/visit-screens.ts';
import { readWindowMessages } from '../support/languages/read-window-messages.ts';

/**
 * Every screen in every language, theme and size, to be looked at: a file for each, in a folder that may be named. What
 * the eye may miss is counted: none of the window's own words may end in an ellipsis.
 */
const folder = process.env['SCREENS_FOLDER'] ?? join(tmpdir(), 'channelscope-screens');
const THEMES = ['light', 'dark'] as const;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
];

for (const language of LANGUAGES) {
  test.describe(language, () => {
    test.use({ locale: toLocale(language, []), reducedMotion: 'reduce' });

    test('every screen', async ({ app, page }) => {
      test.setTimeout(1_200_000);
      await mkdir(folder, { recursive: true });
      await page.goto(app.url);
      await visitScreens({
        page,
        say: createSay(readWindowMessages(language)),
        show: async (name) => {
          for (const size of SIZES) {
            await page.setViewportSize(size);
            for (const theme of THEMES) {
              await page.emulateMedia({ colorScheme: theme });
              await settle(page);
              const file = [name, String(size.width), theme, language].join('-');
              await page.screenshot({ path: join(folder, `${file}.png`) });
            }
            expect.soft(await findCutWords(page), `${name}, ${String(size.width)}`).toEqual([]);
          }
        },
      });
    });
  });
}
