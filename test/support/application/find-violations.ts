import type { Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';

/**
 * Returns what axe finds in a page: each rule that is broken, with the elements that break it.
 *
 * A page gets axe once: its half a megabyte takes as long as the rules. Elements are named by their beginning, for to find
 * a selector of each would take a third of the time.
 */
export async function findViolations(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async (given) => {
      const { axe: injected } = window as unknown as { axe: typeof axe };
      const { violations } = await injected.run(document, given);
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
    },
    { ...options, resultTypes: ['violations' as const], selectors: false },
  );
}
