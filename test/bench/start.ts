import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { findBrowser } from '../../src-main/node/print-with-browser.ts';
import { startApp, stopApp } from '../support/application/run-app.ts';
import { toQuantile, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';
import { openFilledApp } from './filled-app.ts';

const BENCH = 'start';
const ROUNDS = 7;
/** Two machines, by how long an empty window takes on each, and what a start may take there; others lie on their line. */
const GOALS = [
  { emptyMs: 130, startMs: 600 },
  { emptyMs: 400, startMs: 1500 },
] as const;
/** Of the requests in the last 24 hours, which the Overview opens with. */
const FIGURE = /: [1-9][\d,]* inbound/u;
const IDLE_MS = 60_000;
const SETTLE_MS = 20_000;
const IDLE_SHARE_GOAL = 1;
const MEMORY_GOAL_MB = 250;
const MEMORY_GOAL_WITH_SERVICE_MB = 350;

/** The same host with nothing in it: a process that listens, and a page that says one word. */
const EMPTY_HOST = `
  const server = require('node:http').createServer((_request, answer) => {
    answer.setHeader('content-type', 'text/html').end('<!doctype html><h1>Empty</h1>');
  });
  server.listen(0, '127.0.0.1', () =>
    console.log(JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port })));`;

interface Started {
  readonly url: string;
  readonly child: ChildProcess;
}

/** What one start of the application takes, and one of the empty host. */
interface Spans {
  /** To the heading of the Overview: the window is drawn, and says of its parts that they come. */
  readonly headingMs: number;
  /** To the first figure that was read from the records. */
  readonly figureMs: number;
  readonly emptyMs: number;
}

/**
 * From the start of the process to the first picture and to the first figure of what is cached, in a browser that runs
 * already; then what the application takes while nobody does anything.
 */
export async function* benchStart({ size, folder }: BenchOptions): AsyncGenerator<BenchFigure> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('The start bench needs Chromium or Chrome.');
  const browser = await chromium.launch({ executablePath, args: ['--disable-background-networking'] });
  const filled = await openFilledApp(size, browser, folder);
  const { dataFolder } = filled;
  try {
    keepSettings(dataFolder, { startLocalService: false, followLocalService: false });
    // The first start feeds the engine with what was cached.
    const first = await startApp(dataFolder);
    await showOverview(browser, first.url);
    await waitUntilQuiet(first.child);
    await stopApp(first.child);
    const { headingMs, figureMs, emptyMs } = await measureStarts(executablePath, dataFolder);
    const goalMs = toGoalMs(emptyMs);
    const peer = { name: 'an empty window', valueMs: emptyMs };
    yield toTimeFigure(BENCH, 'warm start to the first picture', headingMs, goalMs, peer);
    yield toTimeFigure(BENCH, 'warm start to the first figure', figureMs, goalMs, peer);
    yield* measureIdle(browser, dataFolder, 'without the local service', MEMORY_GOAL_MB);
    keepSettings(dataFolder, { startLocalService: true, localServiceLive: false });
    yield* measureIdle(browser, dataFolder, 'with it', MEMORY_GOAL_WITH_SERVICE_MB);
  } finally {
    await browser.close();
    await filled.remove();
  }
}

function keepSettings(dataFolder: string, changes: Readonly<Record<string, boolean>>): void {
  const file = join(dataFolder, 'settings.json');
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...kept, ...changes }));
}

async function startEmpty(): Promise<Started> {
  const child = spawn(process.execPath, ['-e', EMPTY_HOST], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { ...(JSON.parse(line) as { url: string }), child };
}

function toGoalMs(emptyMs: number): number {
  const [fast, slow] = GOALS;
  const slope = (slow.startMs - fast.startMs) / (slow.emptyMs - fast.emptyMs);
  return fast.startMs + slope * (emptyMs - fast.emptyMs);
}

/**
 * The medians of several starts by turns, from the start of the process to what its page shows, in one profile of a
 * browser: the application is served where it was, and finds there what the browser kept of it.
 */
async function measureStarts(executablePath: string, dataFolder: string): Promise<Spans> {
  const profile = await mkdtemp(join(tmpdir(), 'channelscope-bench-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: ['--disable-background-networking'],
    viewport: { width: 1440, height: 900 },
  });
  const spans: Spans[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [headingMs = 0, figureMs = 0] = await measureStart(context, () => startApp(dataFolder), [
        waitForOverview,
        waitForFigure,
      ]);
      const [emptyMs = 0] = await measureStart(context, startEmpty, [
        (page) => page.getByRole('heading', { level: 1, name: 'Empty' }).waitFor(),
      ]);
      // The first one fills the browser's cache.
      if (round > 0) spans.push({ headingMs, figureMs, emptyMs });
    }
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
  const toMedian = (name: keyof Spans): number =>
    toQuantile(
      spans.map((span) => span[name]),
      0.5,
    );
  return {
    headingMs: toMedian('headingMs'),
    figureMs: toMedian('figureMs'),
    emptyMs: toMedian('emptyMs'),
  };
}

/** The milliseconds from the start of a process until each step has seen on its page what it waits for, one after the other. */
async function measureStart(
  context: BrowserContext,
  start: () => Promise<Started>,
  steps: readonly ((page: Page) => Promise<void>)[],
): Promise<number[]> {
  const page = await context.newPage();
  const startedAtMs = performance.now();
  const { url, child } = await start();
  try {
    await page.goto(url, { waitUntil: 'commit' });
    const spansMs: number[] = [];
    for (const step of steps) {
      await step(page);
      spansMs.push(performance.now() - startedAtMs);
    }
    return spansMs;
  } finally {
    await page.close();
    await stopApp(child);
  }
}

const waitForOverview = (page: Page): Promise<void> =>
  page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

async function waitForFigure(page: Page): Promise<void> {
  await page
    .getByRole('img', { name: FIGURE })
    .waitFor()
    .catch((error: unknown) => {
      throw new Error(
        'The Overview shows no records of the last 24 hours: a cache that was filled before has aged. Fill another folder.',
        { cause: error },
      );
    });
}

async function showOverview(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(url);
  await waitForOverview(page);
}

/** Waits until the processes of the application have done nothing to speak of for some seconds. */
async function waitUntilQuiet(child: ChildProcess): Promise<void> {
  let before = readTicks(child);
  for (;;) {
    await wait(3000);
    const now = readTicks(child);
    if (now - before < 10) return;
    before = now;
  }
}

/** Processor and memory of the application's own processes, its window open, while nobody does anything. */
async function* measureIdle(
  browser: Browser,
  dataFolder: string,
  name: string,
  goalMb: number,
): AsyncGenerator<BenchFigure> {
  const { url, child } = await startApp(dataFolder);
  try {
    await showOverview(browser, url);
    await wait(SETTLE_MS);
    const before = readTicks(child);
    await wait(IDLE_MS);
    // Ticks are hundredths of a second.
    const share = ((readTicks(child) - before) * 10 * 100) / IDLE_MS;
    const none = { bench: BENCH, peer: null, peerValue: null, ratio: null };
    const isIdle = share <= IDLE_SHARE_GOAL;
    yield {
      ...none,
      figure: `processor while idle, ${name}`,
      value: share,
      unit: '%',
      goal: IDLE_SHARE_GOAL,
      met: isIdle,
    };
    const mb = Math.round(listProcesses(child).reduce((sum, pid) => sum + readOwnMemoryMb(pid), 0));
    yield {
      ...none,
      figure: `memory while idle, ${name}`,
      value: mb,
      unit: 'MB',
      goal: goalMb,
      met: mb <= goalMb,
    };
  } finally {
    await stopApp(child);
  }
}

/** A process and all that it started. */
function listProcesses(child: ChildProcess): number[] {
  const pairs = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [child.pid ?? 0];
  for (const parent of found)
    found.push(...pairs.filter(([, ppid]) => ppid === parent).map(([pid = 0]) => pid));
  return found;
}

/** Processor time taken by a process and all that it started, in ticks. */
function readTicks(child: ChildProcess): number {
  return listProcesses(child).reduce((sum, pid) => {
    const fields = readProcessFile(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
    return sum + Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }, 0);
}

/** What the system says of a process; nothing of one that has ended meanwhile, as the engine's does after much work. */
function readProcessFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** Memory of a process, its part of what it shares with others included. */
function readOwnMemoryMb(pid: number): number {
  const rollup = readProcessFile(pid, 'smaps_rollup');
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
}
