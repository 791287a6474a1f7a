import { parentPort, workerData } from 'node:worker_threads';
import { connect } from './connect.ts';
import { openFile } from './open-file.ts';
import { createScanOperations } from './scan-operations.ts';
import { serveThread } from './serve-thread.ts';
import type { ThreadStart } from './thread-messages.ts';
import { createViewOperations } from './view-operations.ts';
import { createWriterOperations } from './writer-operations.ts';

const start = workerData as ThreadStart;

if (parentPort !== null) {
  serveThread(parentPort, () => {
    if (start.role === 'views') {
      return { operations: createViewOperations(connect(start.file, 'read')), started: null };
    }
    if (start.role === 'scans') {
      return { operations: createScanOperations(connect(start.file, 'read')), started: null };
    }
    const { database, damagedFile, damage } = openFile(start.file, start.nowMs);
    return { operations: createWriterOperations(database), started: { damagedFile, damage } };
  });
}
