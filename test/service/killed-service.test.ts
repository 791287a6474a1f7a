import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toDatabasePath } from '../../src-main/service/store/open-database.ts';
import { findRollupFaults } from '../support/check-rollups.ts';
import { startTestService } from '../support/running-service.ts';

const MAIN = new URL('../../src-main/service/main.ts', import.meta.url).pathname;
const RECORDS = 60_000;

describe('a service that is killed while it writes', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'killed-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('keeps records and rollups in agreement, and completes its history on the next start', async () => {
    for (const [index, lifeMs] of [120, 260, 480].entries()) {
      const child = spawn(process.execPath, [MAIN, '--data', folder, '--records', String(RECORDS)], {
        stdio: 'ignore',
      });
      // Once the file is there, the history is being written.
      await expect.poll(() => hasDatabase(folder), { timeout: 10_000, interval: 10 }).toBe(true);
      await delay(lifeMs);
      child.kill('SIGKILL');
      await once(child, 'close');
      expectAgreement(folder, `kill ${index}`);
    }
    const service = await startTestService({ dataFolder: folder });
    try {
      expect(service.readStats().inboundRecords).toBeGreaterThanOrEqual(RECORDS);
    } finally {
      await service.stop();
    }
    expectAgreement(folder, 'the end');
  });
});

function hasDatabase(folder: string): boolean {
  try {
    const db = new Database(toDatabasePath(folder), { readonly: true, fileMustExist: true, timeout: 0 });
    db.close();
    return true;
  } catch {
    return false;
  }
}

function expectAgreement(folder: string, when: string): void {
  const db = new Database(toDatabasePath(folder));
  try {
    expect(db.pragma('integrity_check', { simple: true }), when).toBe('ok');
    // Killed before its tables were there: nothing was written, so nothing disagrees.
    if (db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0) return;
    expect(findRollupFaults(db), when).toEqual([]);
  } finally {
    db.close();
  }
}
