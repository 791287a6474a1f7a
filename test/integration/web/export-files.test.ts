import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createExportDownloads } from '../../../src-main/web/transfers.ts';

async function makeFolder(): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), 'channelscope-web-exports-')), 'exports');
  await mkdir(folder);
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

it('files of exports that nobody fetched for a day are removed, and newer ones stay', async () => {
  const folder = await makeFolder();
  const nowMs = Date.now();
  const [old, young] = [join(folder, 'old.csv'), join(folder, 'young.csv')];
  await writeFile(old, 'records');
  await writeFile(young, 'records');
  await utimes(old, new Date(nowMs), new Date(nowMs - 25 * 3_600_000));
  createExportDownloads(folder, () => nowMs);
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});

it('two exports at once get files of their own', async () => {
  const downloads = createExportDownloads(await makeFolder());
  const paths = Array.from({ length: 20 }, () =>
    downloads.chooseTarget('inbound-detail_1001_2026-11-19.csv'),
  );
  expect(new Set(paths).size).toBe(20);
});

it('a file keeps its ending, also the longest that there is', async () => {
  const downloads = createExportDownloads(await makeFolder());
  expect(downloads.chooseTarget('inbound-detail_2026-11-19.channelscope')).toMatch(
    /2026-11-19\.channelscope$/,
  );
});
