import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCacheDatabase } from '../../../src-main/core/cache/file/open-database.ts';
import { createSnapshotReader } from '../../../src-main/core/cache/read/snapshot-rows.ts';
import { SCALE } from './writer-rig.ts';

const PROGRAM = fileURLToPath(new URL('../../../src-main/cli/main.ts', import.meta.url));
const RECORDS = 20_000;
const KILLS = Math.ceil(6 * SCALE);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-killed-'));
  const lines = Array.from({ length: RECORDS }, (_none, seq) =>
    JSON.stringify({ Id: `s${seq}`, Date: '2026-11-20T10:00:00Z', BotLatency: 1, Payload: 'x'.repeat(200) }),
  );
  await writeFile(join(folder, 'records.ndjson'), `${lines.join('\n')}\n`);
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Imports the file, and kills the program once it says that so many bytes are done; null lets it end. */
async function runImport(data: string, killAtByte: number | null): Promise<boolean> {
  const words = ['import', join(folder, 'records.ndjson'), '--data', data, '--progress'];
  const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let isKilled = false as boolean;
  child.stderr.on('data', (text: Buffer) => {
    const [, done = '0'] = /Importing: ([\d,]+)/.exec(text.toString()) ?? [];
    if (killAtByte === null || Number(done.replaceAll(',', '')) < killAtByte) return;
    if (child.kill('SIGKILL')) isKilled = true;
  });
  const [code] = await closed;
  if (!isKilled) expect(code).toBe(0);
  return isKilled;
}

/** Records of the snapshots that are there; each of them has to be whole. */
function countImported(data: string): number[] {
  const database = openCacheDatabase(join(data, 'cache.sqlite'), 'read-any');
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    return createSnapshotReader(database)
      .list(null)
      .map(({ recordCount }) => recordCount);
  } finally {
    database.close();
  }
}

test(
  `an import that is killed at ${KILLS} moments leaves all of a file or nothing, and the next one brings it`,
  { timeout: 300_000 },
  async () => {
    const data = join(folder, 'data');
    const bytes = RECORDS * 260 * 3;
    let kills = 0;
    for (let round = 0; round < KILLS; round += 1) {
      // The last third is when pages are written.
      if (await runImport(data, Math.floor(bytes * (0.3 + (0.65 * round) / KILLS)))) kills += 1;
      for (const count of countImported(data)) expect(count).toBe(RECORDS);
    }
    const before = countImported(data).length;
    await runImport(data, null);
    expect(countImported(data)).toHaveLength(before + 1);
    expect(kills).toBeGreaterThan(0);
    // Nothing of what was given up stays in the file.
    const database = openCacheDatabase(join(data, 'cache.sqlite'), 'read-any');
    const hidden = database.prepare('SELECT count(*) FROM snapshots WHERE is_removed > 2').pluck().get();
    database.close();
    expect(hidden).toBe(0);
  },
);
