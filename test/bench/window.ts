import { readFileSync } from 'node:fs';
import { chromium, type Browser, type Page } from '@playwright/test';
import { findBrowser } from '../../src-main/node/print-with-browser.ts';
import { startApp, stopApp } from '../support/application/run-app.ts';
import {
  measure,
  toMemoryFigure,
  toQuantile,
  toTimeFigure,
  type BenchFigure,
  type BenchOptions,
} from './figure.ts';
import { openFilledApp } from './filled-app.ts';

const SCROLLS = 120;
const SAMPLE_MS = 100;
const MEMORY_GOAL_MB = 400;

/** Milliseconds from a double click on a snapshot in the library to its first row with a date. */
async function measureOpening(page: Page): Promise<number> {
  await page.evaluate(() => (window.location.hash = '/library'));
  const row = page.getByRole('row', { name: /Inbound detail .* Complete/ }).first();
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

/** Milliseconds from setting each scroll position to every visible row being there, and those of two bare frames. */
async function measureScrolling(page: Page): Promise<{ rowsMs: number[]; framesMs: number[] }> {
  return page.evaluate(async (scrolls) => {
    const rowPx = 27;
    const dateWidth = 60;
    const scroller = [...document.querySelectorAll<HTMLElement>('[role=grid] *, .ag-root *')].find(
      (element) =>
        element.scrollHeight > 100_000 && element.clientHeight < 2_000 && element.clientHeight > 100,
    );
    if (scroller === undefined) throw new Error('The table cannot be scrolled.');
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    /** The row that is drawn at a height. */
    const findRow = (y: number): Element | null => {
      const { left } = scroller.getBoundingClientRect();
      // Far down a tall table, where places are rounded to two pixels, a gap may lie between two rows.
      const found = [y, y + 4].map((at) =>
        document.elementFromPoint(left + dateWidth, at)?.closest('[row-index]'),
      );
      return found.find((row) => row !== null && row !== undefined) ?? null;
    };
    const readIndex = (row: Element): number => Number(row.getAttribute('row-index'));
    /**
     * The first date on screen; null while a row is blank. A table too tall for the browser has its rows elsewhere, so
     * they are looked for where they are seen: the first and the last, since that costs less than the table itself.
     */
    const readShown = (): string | null => {
      const { top, height } = scroller.getBoundingClientRect();
      // Between the header and the scroll bar.
      const [first, last] = [findRow(top + 2 * rowPx), findRow(top + height - 2 * rowPx)];
      if (first === null || last === null) return null;
      const dates = new Map(
        [...document.querySelectorAll('[row-index] [col-id=dateMs]')].map((cell) => {
          const row = cell.closest('[row-index]');
          return [row === null ? -1 : readIndex(row), cell.textContent] as const;
        }),
      );
      for (let index = readIndex(first); index <= readIndex(last); index += 1) {
        if (!/\d{4}/.test(dates.get(index) ?? '')) return null;
      }
      return dates.get(readIndex(first)) ?? null;
    };
    const rowsMs: number[] = [];
    const framesMs: number[] = [];
    const last = scroller.scrollHeight - scroller.clientHeight;
    for (let step = 0; step < scrolls; step += 1) {
      // A fixed, far-jumping sequence that never repeats a block.
      const top = Math.floor(((step * 0.618_034 + 0.1) % 1) * last);
      const from = performance.now();
      const before = readShown();
      scroller.scrollTop = top;
      for (let shown = before; shown === null || shown === before; shown = readShown()) await nextFrame();
      rowsMs.push(performance.now() - from);
      const bare = performance.now();
      await nextFrame();
      await nextFrame();
      framesMs.push(performance.now() - bare);
    }
    return { rowsMs, framesMs };
  }, SCROLLS);
}

/** What a person waits for in the window itself: the real application in Chromium, over one snapshot of `size` records. */
export async function* benchWindow({ size, folder }: BenchOptions): AsyncGenerator<BenchFigure> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('The window bench needs Chromium or Chrome.');
  const browser = await chromium.launch({ executablePath, args: ['--disable-background-networking'] });
  const filled = await openFilledApp(size, browser, folder);
  const app = await startApp(filled.dataFolder);
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(app.url);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    // The engine is fed once; what follows is what every later day is like.
    const { ms: fedMs } = await measure(() => measureOpening(page));
    yield toTimeFigure('window', 'first opening, the engine fed', fedMs);
    const opened: number[] = [];
    for (let round = 0; round < 5; round += 1) opened.push(await measureOpening(page));
    const pageProcess = await findPageProcess(browser);
    const sampled = sampleOwnMemory(pageProcess);
    const { rowsMs, framesMs } = await measureScrolling(page);
    const ownMb = sampled.end();
    const frames = { name: 'two bare frames', valueMs: toQuantile(framesMs, 0.5) };
    const toFigure = (name: string, valueMs: number, goalMs: number | null): BenchFigure =>
      toTimeFigure('window', name, valueMs, goalMs, frames);
    yield toFigure('click to first rows, median of 5', toQuantile(opened, 0.5), 300);
    yield toFigure(`scroll anywhere, median of ${String(SCROLLS)}`, toQuantile(rowsMs, 0.5), 100);
    yield toFigure(`scroll anywhere, p99 of ${String(SCROLLS)}`, toQuantile(rowsMs, 0.99), 100);
    yield toFigure(`scroll anywhere, slowest of ${String(SCROLLS)}`, Math.max(...rowsMs), null);
    yield {
      ...toMemoryFigure('window', 'page, most memory of its own while it is scrolled', pageProcess),
      value: ownMb,
      goal: MEMORY_GOAL_MB,
      met: ownMb <= MEMORY_GOAL_MB,
    };
    yield toMemoryFigure('window', 'page, most memory ever, shared files included', pageProcess);
  } finally {
    await browser.close();
    await stopApp(app.child);
    await filled.remove();
  }
}

/** Reads a process's memory again and again, without the files that it shares with others; `end` returns the most. */
function sampleOwnMemory(pid: number): { end(): number } {
  let most = 0;
  const timer = setInterval(() => {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    most = Math.max(most, Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }, SAMPLE_MS);
  return {
    end: () => {
      clearInterval(timer);
      return Math.round(most / 1024);
    },
  };
}

/** The process that draws the page: of those of its kind the one that took the most processor time. */
async function findPageProcess(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const pages = processInfo.filter(({ type }) => type === 'renderer');
  return pages.toSorted((a, b) => b.cpuTime - a.cpuTime)[0]?.id ?? 0;
}
