import { parentPort } from 'node:worker_threads';
import { type FromServer, serveCalls } from '../../calls/calls.ts';
import { createReadingOperations } from './reading-operations.ts';
import type { ImportThreadStarted } from './with-import-thread.ts';

/** Bytes that an operation hands over are moved, not copied. */
function listMoved(message: FromServer): ArrayBuffer[] {
  if (message.kind !== 'result') return [];
  const { bytes = null } = (message.value ?? {}) as { readonly bytes?: unknown };
  return bytes instanceof ArrayBuffer ? [bytes] : [];
}

// Reads one file of a person, which may be of any size and hold anything, apart from the thread that answers the window.
if (parentPort !== null) {
  const port = parentPort;
  await serveCalls<ImportThreadStarted>(
    {
      postMessage: (message) => port.postMessage(message, listMoved(message)),
      onMessage: (listener) => void port.on('message', listener),
      close: () => port.close(),
    },
    () => {
      const operations = createReadingOperations();
      return { operations, started: { names: Object.keys(operations) } };
    },
  );
}
