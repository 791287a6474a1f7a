import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { SECOND_MS } from '../../src-main/common/time/durations.ts';
import type { Cache } from '../../src-main/core/cache/cache.ts';
import { openTestCache } from '../integration/cache/cache-fixture.ts';
import { startApp, stopApp } from '../support/application/run-app.ts';
import { createDocuments, fillCache } from './fill-cache.ts';

const TENANT = 1001;

/** A data folder of the application with a connection to the local service and cached records of it. */
export interface FilledApp {
  readonly dataFolder: string;
  /** Removes the folder, unless it is to be kept. */
  remove(): Promise<void>;
}

/** Fills a data folder as downloads of `size` records would leave it; in `folder` it is kept, and found filled the next time. */
export async function openFilledApp(size: number, browser: Browser, folder?: string): Promise<FilledApp> {
  const dataFolder = folder ?? (await mkdtemp(join(tmpdir(), 'channelscope-bench-')));
  const remove = async (): Promise<void> => {
    if (folder === undefined) await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await mkdir(dataFolder, { recursive: true });
    const connectionsFile = join(dataFolder, 'connections.json');
    if (!existsSync(connectionsFile)) await createConnection(dataFolder, browser);
    const { connections } = JSON.parse(await readFile(connectionsFile, 'utf8')) as {
      connections: { id: string }[];
    };
    const connectionId = connections[0]?.id ?? '';
    const cache = await openTestCache(join(dataFolder, 'cache.sqlite'));
    try {
      const counts = (await cache.listSnapshots(connectionId)).map(({ recordCount }) => recordCount);
      if (counts.length === 0) await fillUntilNow(cache, size, connectionId);
      else if (!counts.includes(size)) throw new Error(`The cache in ${dataFolder} was filled with others.`);
    } finally {
      await cache.close();
    }
    return { dataFolder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The newest record is of now, so that the periods which end now have some. */
async function fillUntilNow(cache: Cache, size: number, connectionId: string): Promise<void> {
  const toMs = Math.floor(Date.now() / SECOND_MS) * SECOND_MS;
  const fromMs = toMs - (size - 1) * SECOND_MS;
  const write = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  const period = { startDate: write(fromMs), endDate: write(toMs), fromMs, toMs, zone: 'UTC' };
  await fillCache(cache, size, { connectionId, tenant: TENANT, period }, (from, count) =>
    createDocuments(from, count).map((document, at) => ({
      ...document,
      Date: new Date(fromMs + (from + at) * SECOND_MS).toISOString(),
    })),
  );
}

async function createConnection(dataFolder: string, browser: Browser): Promise<void> {
  const { url, child } = await startApp(dataFolder);
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'Start with the built-in local service' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor({ timeout: 60_000 });
    await page.close();
  } finally {
    await stopApp(child);
  }
}
