import type { Page } from '@playwright/test';

/** Returns the colour of what is chosen, where the system forces its colours. */
export async function readHighlight(page: Page): Promise<string> {
  return page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.background = 'Highlight';
    const { backgroundColor } = getComputedStyle(probe);
    probe.remove();
    return backgroundColor;
  });
}
