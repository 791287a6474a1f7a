import { expect, type Page } from '@playwright/test';
import { findViolations } from '../support/application/find-violations.ts';
import { findLayoutFaults } from './tour/find-layout-faults.ts';
import { findSmallTargets } from './tour/find-small-targets.ts';
import { findUnreachable } from './tour/find-unreachable.ts';
import { settle } from './tour/settle.ts';

const wide = { width: 1440, height: 900 };
const narrow = { width: 1024, height: 700 };
/** What is left of 1280 x 1024 when everything is four times as large. */
const enlarged = { width: 320, height: 256 };
/** All rules but for the size of targets, which takes a third of their time and is looked at in both sizes anyway. */
const ALL_RULES = {
  runOnly: { type: 'tag' as const, values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  rules: { 'target-size': { enabled: false } },
};
/** The rules that a theme has to do with; all others say the same of both. */
const OF_COLOURS = { runOnly: { type: 'rule' as const, values: ['color-contrast', 'link-in-text-block'] } };

/**
 * In both sizes nothing is wider than the window and every target is large enough to be hit; in both themes axe finds
 * nothing; and enlarged fourfold (WCAG 2.2, 1.4.10) all of it can be read and reached by scrolling up and down.
 */
export async function showScreen(page: Page, name: string): Promise<void> {
  // In this order only three of the steps change the size, after which the window lays everything out anew.
  for (const [colorScheme, size] of [
    ['light', wide],
    ['light', narrow],
    ['dark', narrow],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (page.viewportSize()?.width !== size.width) await page.setViewportSize(size);
    await page.mouse.move(size.width - 1, size.height - 1);
    await settle(page);
    // Nothing may make the window itself scroll sideways.
    expect
      .soft(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), name)
      .toBeLessThanOrEqual(0);
    if (colorScheme === 'light') {
      expect.soft(await findSmallTargets(page), `targets of ${name}, ${String(size.width)}`).toEqual([]);
    }
    // Once for each theme: of the light one all rules.
    if (colorScheme === 'light' && size === narrow) continue;
    const found = await findViolations(page, colorScheme === 'light' ? ALL_RULES : OF_COLOURS);
    expect.soft(found, `${name} ${colorScheme}`).toEqual([]);
  }
  await page.setViewportSize(enlarged);
  await settle(page);
  const faults = [...(await findLayoutFaults(page)), ...(await findUnreachable(page))];
  expect.soft(faults, `${name} at 400 %`).toEqual([]);
  await page.setViewportSize(wide);
}
