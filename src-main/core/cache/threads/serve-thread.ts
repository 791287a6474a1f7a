import type { MessagePort } from 'node:worker_threads';
import { serveCalls } from '../../calls/serve-calls.ts';
import { toCacheError } from '../file/to-cache-error.ts';
import type { Opening, ServedThread, ThreadStarted } from './thread-messages.ts';

/** Serves the calls that arrive at a port. `start` opens the file; what it throws fails the start. */
export function serveThread(
  port: MessagePort,
  start: () => { readonly served: ServedThread; readonly opening: Opening | null },
): Promise<void> {
  const open = (): ReturnType<typeof start> => {
    try {
      return start();
    } catch (error) {
      throw toCacheError(error);
    }
  };
  return serveCalls<ThreadStarted>(
    {
      postMessage: (message) => port.postMessage(message),
      onMessage: (listener) => void port.on('message', listener),
      close: () => port.close(),
    },
    () => {
      const { served, opening } = open();
      const { operations, close, onFailure } = served;
      return {
        operations: { ...operations, close },
        started: { names: Object.keys(operations), opening },
        toAppError: toCacheError,
        ...(onFailure === undefined ? {} : { onFailure }),
      };
    },
  );
}
