// @module-tag long
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { lastDays, readFromCache, readFromService } from './download-rig.ts';
import type { KilledRun } from './download-until-killed.ts';

const SCRIPT = fileURLToPath(bundledScript('download-until-killed'));
/** The proof takes 200; a run of all tests makes do with fewer. */
const KILLS = Number(process.env['DOWNLOAD_KILLS'] ?? 4);
const SEED = Number(process.env['DOWNLOAD_KILLS_SEED'] ?? 1);
/** From its first page on; a download takes about twice as long. */
const LONGEST_LIFE_MS = 250;

let service: RunningService;
let dataFolder: string;

beforeAll(async () => {
  service = await startTestService({ records: 4000 });
  dataFolder = await mkdtemp(join(tmpdir(), 'killed-'));
});
afterAll(async () => {
  await service.stop();
  await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
});

/** One life of the application: killed in the middle of a page, or right after its download ended. */
async function live(run: KilledRun, lifeMs: number): Promise<'killed' | 'ended'> {
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(run)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let said = '';
  try {
    for await (const piece of child.stdout) {
      said += String(piece);
      if (said.includes('!')) return 'ended';
      if (lifeMs === Infinity) continue;
      await new Promise((resolve) => setTimeout(resolve, lifeMs));
      return 'killed';
    }
    throw new Error(`The application ended by itself after ${said}.`);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

function readIds(state: string): number[] {
  const database = new Database(join(dataFolder, 'cache.sqlite'), { readonly: true });
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    return database
      .prepare('SELECT snapshot_id FROM snapshots WHERE state = ?')
      .pluck()
      .all(state) as number[];
  } finally {
    database.close();
  }
}

test(
  `T-1: killed ${KILLS} times in the middle of downloads, the cache holds what the service holds, in order`,
  { timeout: 180_000 + KILLS * 6_000 },
  async () => {
    const period = lastDays(6);
    const records = await readFromService(service, period);
    const random = createRandom(SEED);
    const { url, tenant, accessToken, accessTokenSecret } = service;
    let kills = 0;
    let downloads = 0;
    while (kills < KILLS || downloads === 0) {
      const run: KilledRun = {
        dataFolder,
        url,
        tenant,
        accessToken,
        accessTokenSecret,
        pageSize: 100,
        period,
        sliceDays: downloads % 2 === 0 ? null : 1,
      };
      const lifeMs = kills < KILLS ? random() * LONGEST_LIFE_MS : Infinity;
      if ((await live(run, lifeMs)) === 'killed') kills += 1;
      else downloads += 1;
    }
    const complete = readIds('complete');
    // A kill may also have met one that had just ended, without announcing it.
    expect(complete.length).toBeGreaterThanOrEqual(downloads);
    expect(records.length).toBeGreaterThan(0);
    for (const snapshotId of complete) expect(readFromCache(dataFolder, snapshotId)).toEqual(records);
    // The one that the last kill met holds a true part.
    for (const snapshotId of [...readIds('downloading'), ...readIds('incomplete')]) {
      const part = readFromCache(dataFolder, snapshotId);
      expect(part).toEqual(records.slice(0, part.length));
    }
  },
);
