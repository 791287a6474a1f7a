import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { findBrowser } from '../support/find-browser.ts';
import { startApp, stopApp } from '../support/run-app.ts';
import { toQuantile, toTimeFigure, type BenchFigure } from './figure.ts';

const SCROLLS = 120;

/** Milliseconds from a double click on a snapshot in the library to its first row with a date. */
async function measureOpening(page: Page): Promise<number> {
  await page.evaluate(() => (window.location.hash = '/library'));
  const row = page.getByRole('row', { name: /Inbound detail 1001/ }).first();
  await row.waitFor();
  await page.evaluate(() => {
    const measured = window as unknown as { openedMs: Promise<number> };
    measured.openedMs = new Promise((resolve) => {
      document.addEventListener(
        'dblclick',
        () => {
          const from = performance.now();
          const look = (): void => {
            const cell = document.querySelector('[role=gridcell][col-id=dateMs]');
            if (cell !== null && /\d{4}/.test(cell.textContent)) resolve(performance.now() - from);
            else requestAnimationFrame(look);
          };
          look();
        },
        { once: true, capture: true },
      );
    });
  });
  await row.dblclick();
  return page.evaluate(() => (window as unknown as { openedMs: Promise<number> }).openedMs);
}

/** Milliseconds from setting each scroll position to its rows being there, and those of two bare frames. */
async function measureScrolling(page: Page): Promise<{ rowsMs: number[]; framesMs: number[] }> {
  return page.evaluate(async (scrolls) => {
    const rowPx = 27;
    const scroller = [...document.querySelectorAll<HTMLElement>('[role=grid] *, .ag-root *')].find(
      (element) =>
        element.scrollHeight > 100_000 && element.clientHeight < 2_000 && element.clientHeight > 100,
    );
    if (scroller === undefined) throw new Error('The table cannot be scrolled.');
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const isShown = (index: number): boolean => {
      const cell = document.querySelector(`[row-index="${String(index)}"] [col-id=dateMs]`);
      return cell !== null && /\d{4}/.test(cell.textContent);
    };
    const rowsMs: number[] = [];
    const framesMs: number[] = [];
    const last = scroller.scrollHeight - scroller.clientHeight;
    for (let step = 0; step < scrolls; step += 1) {
      // A fixed, far-jumping sequence that never repeats a block.
      const top = Math.floor(((step * 0.618_034 + 0.1) % 1) * last);
      const from = performance.now();
      scroller.scrollTop = top;
      const wanted = Math.floor(top / rowPx) + 3;
      while (!isShown(wanted)) await nextFrame();
      rowsMs.push(performance.now() - from);
      const bare = performance.now();
      await nextFrame();
      await nextFrame();
      framesMs.push(performance.now() - bare);
    }
    return { rowsMs, framesMs };
  }, SCROLLS);
}

/** What a person waits for in the window itself: the real application in Chromium, on a month of sample traffic. */
export async function benchWindow(): Promise<BenchFigure[]> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('The window bench needs Chromium or Chrome.');
  const dataFolder = await mkdtemp(join(tmpdir(), 'channelscope-bench-'));
  const app = await startApp(dataFolder);
  const browser = await chromium.launch({ executablePath, args: ['--disable-background-networking'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(app.url);
    await page.getByRole('button', { name: 'Start with the built-in local service' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor({ timeout: 60_000 });
    await page.evaluate(() => (window.location.hash = '/inbound/detail'));
    await page.getByRole('button', { name: /^Period/ }).click();
    await page.getByRole('button', { name: 'Last 30 days', exact: true }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Download this period' }).click();
    await page.getByRole('button', { name: 'Download again' }).waitFor({ timeout: 120_000 });
    const opened: number[] = [];
    for (let round = 0; round < 5; round += 1) opened.push(await measureOpening(page));
    const { rowsMs, framesMs } = await measureScrolling(page);
    const frames = { name: 'two bare frames', valueMs: toQuantile(framesMs, 0.5) };
    const toFigure = (name: string, valueMs: number, goalMs: number | null): BenchFigure =>
      toTimeFigure('window', name, valueMs, goalMs, frames);
    return [
      toFigure('click to first rows, first time', opened[0] ?? 0, 300),
      toFigure('click to first rows, median of 5', toQuantile(opened, 0.5), 300),
      toFigure(`scroll anywhere, median of ${String(SCROLLS)}`, toQuantile(rowsMs, 0.5), 100),
      toFigure(`scroll anywhere, p99 of ${String(SCROLLS)}`, toQuantile(rowsMs, 0.99), 100),
      toFigure(`scroll anywhere, slowest of ${String(SCROLLS)}`, Math.max(...rowsMs), null),
    ];
  } finally {
    await browser.close();
    await stopApp(app.child);
    await rm(dataFolder, { recursive: true, force: true });
  }
}
