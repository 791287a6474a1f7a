import { parentPort, workerData } from 'node:worker_threads';
import { createCheckOperations } from '../file/check-file.ts';
import { connect } from '../file/open-database.ts';
import { openFile } from '../file/open-file.ts';
import { createScanOperations } from './scan-operations.ts';
import { serveThread } from './serve-thread.ts';
import type { ThreadOperations, ThreadStart, WriterStart } from './thread-messages.ts';
import { createViewOperations } from './view-operations.ts';
import { createWriterOperations } from './writer-operations.ts';

const start = workerData as ThreadStart;
const { file, generation } = start;

function startWriter(): { operations: ThreadOperations; started: WriterStart } {
  const { inspection, firstSnapshotId, nowMs } = start;
  const opened = openFile(file, nowMs, { inspection, firstSnapshotId });
  const checkedAtMs = opened.database
    .prepare<[], number | null>('SELECT checked_at_ms FROM cache_state')
    .pluck()
    .get();
  const { damagedFolder, damage } = opened;
  return {
    operations: createWriterOperations(opened, file, generation === 1),
    started: { damagedFolder, damage, checkedAtMs: checkedAtMs ?? null },
  };
}

function startReader(): ThreadOperations {
  const database = connect(file, 'read');
  if (start.role === 'views') return createViewOperations(database, generation);
  return start.role === 'scans' ? createScanOperations(database) : createCheckOperations(database);
}

if (parentPort !== null) {
  serveThread(parentPort, () =>
    start.role === 'writer' ? startWriter() : { operations: startReader(), started: null },
  );
}
