import { readWindowMessages } from '../support/languages/read-window-messages.ts';
import { toPseudoMessages } from '../support/languages/pseudo-messages.ts';
import { expect, test } from './fixtures.ts';
import { findLayoutFaults } from './tour/find-layout-faults.ts';
import { findOwnTexts } from './tour/find-own-texts.ts';
import { createSay } from './tour/say.ts';
import { settle } from './tour/settle.ts';
import { visitScreens } from './tour/visit-screens.ts';

test.use({ locale: 'de-DE', reducedMotion: 'reduce' });

const SIZES = [
  { width: 1024, height: 700 },
  { width: 1440, height: 900 },
];
const months = (['long', 'short'] as const).flatMap((month) =>
  Array.from({ length: 12 }, (_, place) =>
    new Intl.DateTimeFormat('de', { month }).format(new Date(2026, place, 15)),
  ),
);
/** Names, units and formats: the same in every language, or given by the locale. */
const KNOWN = [...months, 'Channelscope', 'Health summary', 'Inbound health detail', 'records.ndjson'];

test('a language with longer words and other letters: every text is a message, and none is cut', async ({
  app,
  page,
}) => {
  test.setTimeout(600_000);
  const pseudo = toPseudoMessages(readWindowMessages('en'));
  // The build has no such language: its words come in the place of the German ones.
  await page.route(/\/assets\/de-[\w-]+\.js$/u, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `export const messages = ${JSON.stringify(pseudo)};`,
    }),
  );
  await page.goto(app.url);
  await visitScreens({
    page,
    say: createSay(pseudo),
    show: async (name) => {
      // The size that it has comes first: each new one has the window lay everything out anew.
      const isLast = page.viewportSize()?.width === SIZES.at(-1)?.width;
      for (const size of isLast ? SIZES.toReversed() : SIZES) {
        await page.setViewportSize(size);
        await settle(page);
        expect.soft(await findLayoutFaults(page), `${name}, ${String(size.width)}`).toEqual([]);
      }
      expect.soft(await findOwnTexts(page, KNOWN), name).toEqual([]);
    },
  });
});
