// @module-tag long
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { openCacheDatabase } from '../../../src-main/core/cache/file/open-database.ts';
import { createSnapshotReader } from '../../../src-main/core/cache/read/snapshot-rows.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { SCALE } from './writer-rig.ts';

const PROGRAM = fileURLToPath(bundledScript('import-until-killed'));
const RECORDS = 10_000;
const KILLS = Math.ceil(4 * SCALE);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-killed-'));
  const lines = Array.from({ length: RECORDS }, (_none, seq) =>
    JSON.stringify({ Id: `s${seq}`, Date: '2026-11-20T10:00:00Z', BotLatency: 1, Payload: 'x'.repeat(200) }),
  );
  await writeFile(join(folder, 'records.ndjson'), `${lines.join('\n')}\n`);
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/**
 * Imports the file, and kills the program so many milliseconds after it says that it began; null lets it end. Returns
 * whether it was killed, and how long it took from then on.
 */
async function runImport(
  data: string,
  killAfterMs: number | null,
): Promise<{ isKilled: boolean; ms: number }> {
  const words = ['import', join(folder, 'records.ndjson'), '--data', data, '--progress'];
  const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let isKilled = false as boolean;
  await once(child.stderr, 'data');
  const begunMs = performance.now();
  child.stderr.resume();
  const timer =
    killAfterMs === null ? undefined : setTimeout(() => (isKilled = child.kill('SIGKILL')), killAfterMs);
  const [code] = await closed;
  clearTimeout(timer);
  if (!isKilled) expect(code).toBe(0);
  return { isKilled, ms: performance.now() - begunMs };
}

/** The snapshots that are there; each of them has to be whole. */
function readImported(data: string): Snapshot[] {
  const database = openCacheDatabase(join(data, 'cache.sqlite'), 'read-any');
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    const snapshots = createSnapshotReader(database).list(null);
    for (const { recordCount } of snapshots) expect(recordCount).toBe(RECORDS);
    return snapshots;
  } finally {
    database.close();
  }
}

test(
  `an import that is killed at ${KILLS} moments leaves all of a file or nothing, and the next one brings it`,
  { timeout: 300_000 },
  async () => {
    const data = join(folder, 'data');
    const { ms } = await runImport(join(folder, 'first'), null);
    let kills = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const { isKilled } = await runImport(data, ms * (0.3 + (0.7 * (round + 0.5)) / KILLS));
      if (isKilled) kills += 1;
      readImported(data);
    }
    const begunAtMs = Date.now();
    await runImport(data, null);
    // What a killed program had written whole may show up only now; the last import is there once.
    expect(readImported(data).filter(({ startedAtMs }) => startedAtMs >= begunAtMs)).toHaveLength(1);
    expect(kills).toBeGreaterThan(0);
    // Nothing of what was given up stays in the file.
    const database = openCacheDatabase(join(data, 'cache.sqlite'), 'read-any');
    const hidden = database.prepare('SELECT count(*) FROM snapshots WHERE is_removed > 2').pluck().get();
    database.close();
    expect(hidden).toBe(0);
  },
);
