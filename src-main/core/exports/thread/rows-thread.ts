import { parentPort, workerData } from 'node:worker_threads';
import { openExportRecords } from '../../cache/read/read-records.ts';
import { type RowThreadData, serveRows } from './create-row-writer.ts';

// Writes one file row by row, apart from the thread that answers the window. It reads the cache itself.
if (parentPort !== null) {
  const port = parentPort;
  const { cacheFile, scratchFolder } = workerData as RowThreadData;
  await serveRows(
    {
      postMessage: (message) => port.postMessage(message),
      onMessage: (listener) => void port.on('message', listener),
      close: () => port.close(),
    },
    () => openExportRecords(cacheFile),
    scratchFolder,
  );
}
