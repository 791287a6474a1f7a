import { expect, test } from './fixtures.ts';
import { createSay } from './tour/say.ts';
import { readWindowMessages } from '../support/languages/read-window-messages.ts';

test.use({ locale: 'de-DE', reducedMotion: 'reduce' });

/** How wide a part of the toolbar is, and how wide what it shows. */
interface Width {
  readonly is: number;
  readonly needed: number;
}

test('parts of the toolbar are as wide as what they show, in a window of any width', async ({
  app,
  page,
}) => {
  const say = createSay(readWindowMessages('de'));
  await page.goto(app.url);
  await page.getByRole('button', { name: say('firstRun.local') }).click();
  const title = page.getByRole('heading', { level: 1, name: say('overview.title') });
  await title.waitFor({ timeout: 60_000 });
  const toolbar = page.locator('header.toolbar');
  const search = toolbar.getByRole('button', { name: say('common.search') });
  const period = toolbar.locator('[data-shortcut=period]');
  const left = new Set<string>();

  const measure = (part: typeof period): Promise<Width> =>
    part.evaluate((element) => {
      const { paddingLeft, paddingRight, columnGap, borderLeftWidth, borderRightWidth } =
        getComputedStyle(element);
      const shown = [...element.children].filter(
        (child) => child.checkVisibility() && getComputedStyle(child).position !== 'absolute',
      );
      const rows = shown.flatMap((child) => (child.matches('.words') ? [...child.children] : [child]));
      const seen = rows.filter((child) => child.checkVisibility());
      const edges = [paddingLeft, paddingRight, borderLeftWidth, borderRightWidth].map(Number.parseFloat);
      const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
      return {
        is: element.getBoundingClientRect().width,
        needed:
          sum(edges) +
          sum(seen.map((child) => Math.max(child.scrollWidth, child.getBoundingClientRect().width))) +
          Number.parseFloat(columnGap) * (seen.length - 1),
      };
    });

  for (let width = 1440; width >= 800; width -= 40) {
    await page.setViewportSize({ width, height: 700 });
    await expect
      .poll(async () => {
        const { is, needed } = await measure(period);
        return Math.abs(is - needed);
      })
      .toBeLessThan(2);
    left.add((await toolbar.getAttribute('data-left-out')) ?? '');
    const box = await measure(search);
    const words = await search
      .locator('.jump-label')
      .evaluate((element) => element.getBoundingClientRect().width);
    if (words > 1) expect(box.is, `search at ${width}`).toBeCloseTo(box.needed, 0);
    else expect(box.is, `search at ${width}`).toBeLessThanOrEqual(30);
    await expect(search).toHaveAttribute('title', say('common.search'));
  }
  expect(left.has('')).toBe(true);
  expect(left.has('keys search dates')).toBe(true);

  await page.setViewportSize({ width: 1440, height: 700 });
  await expect(toolbar).toHaveAttribute('data-left-out', '');
});
