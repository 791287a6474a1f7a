import { parentPort, workerData } from 'node:worker_threads';
import { openCacheDatabase } from '../file/open-database.ts';
import { openFile } from '../file/open-file.ts';
import { createCheckOperations, createScanOperations, createViewOperations } from './read-operations.ts';
import {
  type Opening,
  type ServedThread,
  serveThread,
  type ThreadStart,
  waitForFile,
} from './thread-messages.ts';
import { createWriter } from './writer-operations.ts';

const { role, file, nowMs, inspection, firstSnapshotId, generation, gate } = workerData as ThreadStart;

function startWriter(): { served: ServedThread; opening: Opening } {
  const opened = openFile(file, nowMs, { inspection, firstSnapshotId });
  const read = (sql: string): unknown => opened.database.prepare(sql).pluck().get();
  const checkedAtMs = read('SELECT checked_at_ms FROM cache_state') as number | null;
  const lastSnapshotId = Number(read("SELECT seq FROM sqlite_sequence WHERE name = 'snapshots'") ?? 0);
  const { damagedFolder, damage } = opened;
  return {
    served: createWriter(opened, file, generation === 1),
    opening: { damagedFolder, damage, checkedAtMs, lastSnapshotId },
  };
}

function startReader(): { served: ServedThread; opening: null } {
  if (gate !== null) waitForFile(gate);
  const database = openCacheDatabase(file, 'read');
  const close = (): void => void database.close();
  const create = {
    views: () => createViewOperations(database),
    scans: () => createScanOperations(database, file),
    check: () => createCheckOperations(database),
  };
  return { served: { operations: create[role as keyof typeof create](), close }, opening: null };
}

if (parentPort !== null) await serveThread(parentPort, role === 'writer' ? startWriter : startReader);
