import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { toDatabasePath } from '../../../src-main/service/store-sqlite/schema.ts';
import { bundledScript } from '../programs/bundled-script.ts';
import { findRollupFaults } from './check-rollups.ts';

const MAIN = fileURLToPath(bundledScript('service-main'));
const MOST_LIFE_MS = 700;
const POLL_MS = 5;

export interface KillResult {
  readonly kills: number;
  /** What was wrong after which kill; empty when integrity and agreement always held. */
  readonly faults: readonly string[];
  /** Kills that met a history half written. */
  readonly whileWriting: number;
}

/**
 * Starts the service on a history too long for its life, kills it (SIGKILL) at a random moment of its
 * writing, and looks at what it leaves; again and again on the same folder until its history is whole, then
 * on a new one. `finish` is handed the last folder.
 */
export async function killRepeatedly(
  kills: number,
  records: number,
  finish: (folder: string) => Promise<void> = () => Promise.resolve(),
): Promise<KillResult> {
  const random = createRandom(kills);
  const faults: string[] = [];
  let whileWriting = 0;
  let folder = await createFolder();
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      await liveAndDie(folder, records, random() * MOST_LIFE_MS);
      const left = inspect(folder);
      faults.push(...left.faults.map((fault) => `Kill ${kill}: ${fault}`));
      if (!left.isWhole) whileWriting += 1;
      if (left.isWhole && kill < kills - 1) {
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
        folder = await createFolder();
      }
    }
    await finish(folder);
    return { kills, faults, whileWriting };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Whether the store in a folder is sound, and whether its history is complete. */
export function inspect(folder: string): { readonly faults: string[]; readonly isWhole: boolean } {
  const db = new Database(toDatabasePath(folder));
  try {
    const integrity = String(db.pragma('integrity_check', { simple: true }));
    const faults = integrity === 'ok' ? [] : [integrity];
    // Killed before its tables were there: nothing was written, so nothing disagrees.
    if (db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0)
      return { faults, isWhole: false };
    faults.push(...findRollupFaults(db));
    const read = db.prepare<[string], string>('SELECT value FROM property WHERE name = ?').pluck();
    const days = read.get('days');
    return { faults, isWhole: days !== undefined && read.get('days_written') === days };
  } finally {
    db.close();
  }
}

function createFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'killed-'));
}

async function liveAndDie(folder: string, records: number, lifeMs: number): Promise<void> {
  const before = readWriteTime(folder);
  const child = spawn(process.execPath, [MAIN, '--data', folder, '--records', String(records)], {
    stdio: 'ignore',
  });
  const closed = once(child, 'close');
  while (readWriteTime(folder) === before && child.exitCode === null) await delay(POLL_MS);
  await delay(lifeMs);
  child.kill('SIGKILL');
  await closed;
}

/** When the write-ahead log was last written; 0 before it was. */
function readWriteTime(folder: string): number {
  return statSync(`${toDatabasePath(folder)}-wal`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
