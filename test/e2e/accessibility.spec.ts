import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { DetailPage } from './page-models/detail-page.ts';
import { WindowPage } from './page-models/window-page.ts';
import { findLayoutFaults } from './tour/find-layout-faults.ts';
import { findUnreachable } from './tour/find-unreachable.ts';
import { findVanished } from './tour/find-vanished.ts';
import { readHighlight } from './tour/read-highlight.ts';
import { settle } from './tour/settle.ts';

/** Screens, and the title that says that each is there. */
const SCREENS = {
  '/overview': 'Overview',
  '/inbound/summary': 'Summary',
  '/inbound/detail': 'Detail',
  '/incidents': 'Incidents',
  '/conversations': 'Conversations',
  '/cases': 'Cases',
  '/compare?period=last-24-hours&with=period-before': 'Compare',
  '/alerts/new?new=error-share&direction=inbound': 'Alerts',
  '/library': 'Library',
  '/sql': 'SQL',
  '/schedules/new': 'Schedules',
  '/deprecations': 'Deprecations',
  '/local-service': 'Local service',
  '/settings': 'Appearance',
  '/settings/connections': 'Connections',
  '/help': 'Help',
  '/about': 'About',
} as const;

async function startWithRecords(page: Page, url: string): Promise<WindowPage> {
  const window = new WindowPage(page);
  await page.goto(url);
  await window.startBuiltInService();
  await window.fetchLastDay().click();
  await page.getByText('These 24 hours are cached').waitFor({ timeout: 60_000 });
  return window;
}

const title = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name });
const focused = (page: Page): Locator => page.locator(':focus');

test('by keyboard: the way to a screen, its tables and its charts', async ({ app, page }) => {
  const window = await startWithRecords(page, app.url);

  await test.step('a screen that is gone to has the focus on its title, and is named in that of the window', async () => {
    await window.sidebar().getByRole('link', { name: 'Library' }).press('Enter');
    await expect(title(page, 'Library')).toBeFocused();
    await expect(page).toHaveTitle('Library – Channelscope');
    await page.keyboard.press('Tab');
    expect(await focused(page).evaluate((element) => element.closest('main') !== null)).toBe(true);
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('Deprecations');
    await page.keyboard.press('Enter');
    await expect(title(page, 'Deprecations')).toBeFocused();
    await page.keyboard.press('ControlOrMeta+[');
    await expect(title(page, 'Library')).toBeFocused();
  });

  await test.step('the table of records tells which row is active, and how many there are', async () => {
    await window.openView('/inbound/detail');
    await new DetailPage(page).rows().nth(2).click();
    const readActive = () =>
      focused(page).evaluate((cell) => {
        const row = cell.closest('[role=row]');
        return {
          role: cell.getAttribute('role'),
          row: Number(row?.getAttribute('aria-rowindex')),
          isSelected: row?.getAttribute('aria-selected'),
          rows: Number(row?.closest('[role=grid], [role=treegrid]')?.getAttribute('aria-rowcount')),
        };
      });
    // Rows that the download has just brought may be taking the place of those that are shown.
    await expect.poll(readActive).toMatchObject({ role: 'gridcell', isSelected: 'true' });
    const first = await readActive();
    expect(first.rows).toBeGreaterThan(1000);
    await page.keyboard.press('ArrowDown');
    await expect.poll(readActive).toEqual({ ...first, row: first.row + 1 });
  });

  await test.step('bars of Overview are one stop: arrows move, Enter opens the records', async () => {
    await window.openView('/overview');
    const bars = page.getByRole('group', { name: 'Bars of the chart' });
    await bars.locator('[tabindex="0"]').focus();
    const last = await focused(page).getAttribute('aria-label');
    await page.keyboard.press('ArrowLeft');
    await expect(focused(page)).not.toHaveAttribute('aria-label', last ?? '');
    await page.keyboard.press('ArrowUp');
    await expect(focused(page)).toHaveAttribute('aria-label', /outbound requests?$/);
    await page.keyboard.press('Enter');
    await expect(title(page, 'Detail')).toBeVisible();
    expect(page.url()).toMatch(/outbound\/detail\?.*q=date:/);
  });

  await test.step('so are steps over time, and bars of a Summary are buttons', async () => {
    await window.openView('/inbound/summary');
    await page.getByRole('radio', { name: 'Computed from cached records' }).click();
    const steps = page.getByRole('slider', { name: 'Steps over time' });
    await steps.focus();
    const before = await steps.getAttribute('aria-valuetext');
    await page.keyboard.press('ArrowLeft');
    await expect(steps).not.toHaveAttribute('aria-valuetext', before ?? '');
    await page
      .getByRole('button', { name: /Open the records$/ })
      .first()
      .press('Enter');
    await expect(title(page, 'Detail')).toBeVisible();
  });

  await test.step('what appears at the pointer stays under it, and goes with Escape (1.4.13)', async () => {
    const tip = page.locator('.cs-tooltip');
    await page.getByRole('button', { name: /^Theme/ }).hover();
    await expect(tip).toBeVisible();
    await tip.hover();
    await expect(tip).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(tip).toBeHidden();
    await window.openView('/overview');
    await page
      .getByRole('img', { name: /^Platform/ })
      .first()
      .hover();
    await expect(tip).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(tip).toBeHidden();
  });
});

test('as the system asks: 200 %, forced colours, less motion, wider text', async ({ app, page }) => {
  const window = await startWithRecords(page, app.url);
  await page.emulateMedia({ reducedMotion: 'reduce' });

  await test.step('at 200 % nothing is cut, out of reach or drawn over something else', async () => {
    // What is left of 1440 x 900 when everything is twice as large.
    await page.setViewportSize({ width: 720, height: 450 });
    for (const [path, name] of Object.entries(SCREENS)) {
      await window.openView(path);
      await title(page, name).waitFor();
      await settle(page);
      // What is wide by its nature is scrolled in two directions.
      const faults = (await findLayoutFaults(page)).filter((fault) => !fault.startsWith('scrolls sideways'));
      expect.soft([...faults, ...(await findUnreachable(page))], path).toEqual([]);
      const moving = await page.evaluate(() => document.getAnimations().map((one) => one.playState));
      expect.soft(moving, `what moves on ${path}`).toEqual([]);
    }
  });

  await test.step('with forced colours, what is chosen differs from what is not, and charts are seen', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ forcedColors: 'active' });
    const look = (one: Locator): Promise<string> =>
      one.evaluate((element) => {
        const { backgroundColor, color, outlineStyle, borderColor, boxShadow } = getComputedStyle(element);
        return [backgroundColor, color, outlineStyle, borderColor, boxShadow].join(' ');
      });
    for (const path of Object.keys(SCREENS)) {
      await window.openView(path);
      await settle(page);
      expect.soft(await findVanished(page), path).toEqual([]);
    }
    const highlight = await readHighlight(page);
    await window.openView('/library');
    const snapshot = page.locator('tbody tr').first();
    await snapshot.click();
    await expect(snapshot).toHaveCSS('background-color', highlight);
    await window.openView('/settings');
    await expect(page.locator('main [aria-current=true]').first()).toHaveCSS('background-color', highlight);
    await window.openView('/inbound/detail');
    await title(page, 'Detail').waitFor();
    const current = window.sidebar().locator('[aria-current=page]').first();
    await expect(current).toHaveCSS('background-color', highlight);
    expect(await look(current)).not.toBe(await look(window.sidebar().getByRole('link', { name: 'Library' })));
    const segments = page.locator('.cs-segment');
    const chosen = segments.and(page.locator('[data-state=on], [data-state=checked]')).first();
    const other = segments.and(page.locator('[data-state=off], [data-state=unchecked]')).first();
    expect(await look(chosen)).not.toBe(await look(other));
    await window.openView('/settings');
    const on = page.locator('.cs-switch[data-state=checked]').first();
    const off = page.locator('.cs-switch[data-state=unchecked]').first();
    expect(await look(on)).not.toBe(await look(off));
    await on.focus();
    await page.keyboard.press('Shift+Tab');
    await expect(focused(page)).not.toHaveCSS('outline-style', 'none');
  });

  await test.step('with wider letters, words and lines nothing is cut (1.4.12)', async () => {
    await page.emulateMedia({ forcedColors: 'none' });
    await page.setViewportSize({ width: 1280, height: 1024 });
    await spaceText(page);
    for (const [path, name] of Object.entries(SCREENS)) {
      await window.openView(path);
      await title(page, name).waitFor();
      await settle(page);
      expect.soft(await findLayoutFaults(page), path).toEqual([]);
    }
  });
});

test('nothing is read out while nothing happens', async ({ app, page }) => {
  const window = await startWithRecords(page, app.url);
  for (const path of ['/overview', '/inbound/detail', '/library'] as const) {
    await window.openView(path);
    await title(page, SCREENS[path]).waitFor();
    // Real time: the host's lines don't follow a clock of the page, which would take it for silent.
    await page.waitForTimeout(2_000);
    const hear = await listen(page);
    await page.waitForTimeout(8_000);
    expect(await hear(), path).toEqual([]);
  }
});

/** As much room in texts as a person's own style sheet may give them. */
async function spaceText(page: Page): Promise<void> {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
      * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
      p { margin-bottom: 2em !important; }
    `);
    document.adoptedStyleSheets.push(sheet);
  });
}

/** Returns a function that returns what live regions have said since. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const LIVE = '[role=status], [role=alert], [role=log], [aria-live=polite], [aria-live=assertive]';
    const said: string[] = [];
    Object.assign(window, { said });
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        const region = element?.closest(LIVE) ?? null;
        if (region !== null) said.push(region.textContent.trim());
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (window as unknown as { said: string[] }).said);
}

test('one task by keyboard alone: find failed requests, read one, export them', async ({ app, page }) => {
  await startWithRecords(page, app.url);
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  /** Goes on from control to control, as a person without a mouse does, until one of them is meant. */
  const tabTo = async (isThere: (element: Element) => boolean): Promise<void> => {
    for (let count = 0; count < 80; count += 1) {
      await press('Tab');
      if (await focused(page).evaluate(isThere)) return;
    }
    throw new Error('The keyboard does not lead there.');
  };
  await press('ControlOrMeta+k');
  await page.keyboard.type('Inbound detail');
  await press('Enter');
  await expect(title(page, 'Detail')).toBeFocused();
  await press('/');
  await page.keyboard.type('code:>=400');
  await press('Enter');
  await expect(page).toHaveURL(/q=code/);
  const detail = new DetailPage(page);
  await expect.poll(async () => (await detail.readColumn('responseCode')).join(' ')).not.toMatch(/\b200\b/);

  await tabTo((element) => element.closest('[role=grid], [role=treegrid]') !== null);
  await press('ArrowDown');
  await press('ArrowDown');
  await expect(focused(page)).toHaveAttribute('role', 'gridcell');
  await expect(detail.inspector().getByText('ReponseTime')).toBeVisible();

  await press('ControlOrMeta+e');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await focused(page).evaluate((element) => element.closest('[role=dialog]') !== null)).toBe(true);
  await tabTo((element) => element.textContent.trim() === 'Export');
  await press('Enter');
  await dialog.getByRole('button', { name: 'Show file' }).waitFor();
  await press('Escape');
  await expect(dialog).toBeHidden();
  // Where it began: the next key goes on from there.
  expect(await focused(page).evaluate((element) => element !== document.body)).toBe(true);
});

/** Screens whose first table is read out. */
const WITH_TABLES = [
  '/inbound/detail',
  '/inbound/detail?tab=errors',
  '/inbound/detail?tab=patterns',
  '/inbound/summary?source=computed',
  '/compare?period=last-24-hours&with=period-before',
  '/library',
  '/conversations',
  '/deprecations',
];

test('what a screen reader says of tables and their rows', async ({ app, page }) => {
  const window = await startWithRecords(page, app.url);
  for (const path of WITH_TABLES) {
    await window.openView(path);
    const table = page
      .locator('main :is(table, [role=table], [role=grid], [role=treegrid])')
      .filter({ has: page.getByRole('columnheader'), visible: true })
      .first();
    await expect(table.getByRole('row').nth(1), path).toBeVisible({ timeout: 30_000 });
    await settle(page);
    let lines: string[] = [];
    // What is on its way has no words yet.
    await expect(async () => {
      lines = (await table.ariaSnapshot()).split('\n');
      expect(lines[0], path).toMatch(/^- (?:table|grid|treegrid) ".+"/);
      expect(lines.filter((line) => /^\s*- row:/.test(line))).toEqual([]);
    }).toPass({ timeout: 30_000 });
    process.stdout.write(`${path}\n${lines.slice(0, 30).join('\n')}\n\n`);
    // The table has a name, its columns have names, and a row is said by its values.
    const columns = lines.filter((line) => /^\s*- columnheader/.test(line));
    expect(columns.length, path).toBeGreaterThan(1);
    expect(
      columns.filter((line) => !/columnheader ".+"/.test(line)),
      path,
    ).toEqual([]);
  }
});
