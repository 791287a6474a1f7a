import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const folder = 'test-results/screens';
/** With `PICTURES=1` each screen is also painted in both themes and sizes, into that folder. */
const isPainted = process.env['PICTURES'] === '1';
const narrow = { width: 1024, height: 700 };
const sizes = [{ width: 1440, height: 900 }, narrow];
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules that a theme has to do with; all others say the same of both. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Nothing of a screen is wider than the window in both sizes, and axe finds nothing in both themes. */
export async function showScreen(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const size of colorScheme === 'light' || isPainted ? sizes : [narrow]) {
      await page.setViewportSize(size);
      await page.mouse.move(size.width - 1, size.height - 1);
      await settle(page);
      if (isPainted) {
        await page.screenshot({ path: `${folder}/${name}-${String(size.width)}-${colorScheme}.png` });
      }
      // Nothing may make the window itself scroll sideways.
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
        name,
      ).toBeLessThanOrEqual(0);
    }
    // Without this mode each analysis opens another page for its result, which only pages with frames need.
    const axe = new AxeBuilder({ page }).setLegacyMode();
    const { violations } = await (
      colorScheme === 'light' ? axe.withTags(TAGS) : axe.withRules(OF_COLOURS)
    ).analyze();
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`,
    );
    expect(found, `${name} ${colorScheme}`).toEqual([]);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** Charts follow a new size with the next frames; nothing in the window shows when they have. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(
    (ms) =>
      new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, ms)));
      }),
    isPainted ? 400 : 100,
  );
}
