import type { MessagePort } from 'node:worker_threads';
import { AppError, toErrorInfo } from '../../../common/contract/errors.ts';
import { toCacheError } from '../file/to-cache-error.ts';
import type {
  CallContext,
  FromThread,
  Opening,
  ServedThread,
  ThreadStarted,
  ToThread,
} from './thread-messages.ts';

/** Serves the calls that arrive at a port. `start` opens the file; what it throws fails the start. */
export function serveThread(
  port: MessagePort,
  start: () => { readonly served: ServedThread; readonly opening: Opening | null },
): void {
  const cancelled = new Set<number>();
  const open = new Set<number>();
  const send = (message: FromThread): void => port.postMessage(message);
  const fail = (id: number, thrown: unknown): void => {
    const error = toCacheError(thrown);
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    send({ kind: 'failure', id, error: toErrorInfo(error), trace });
  };

  const createContext = (id: number): CallContext<unknown> => ({
    pause: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (cancelled.has(id)) throw new AppError('app.cancelled', 'The call was cancelled.');
    },
    progress: (value) => send({ kind: 'progress', id, value }),
  });

  const run = async (served: ServedThread, id: number, name: string, input: unknown): Promise<void> => {
    open.add(id);
    try {
      const operation = served.operations[name];
      if (operation === undefined) throw new Error(`The thread has no operation ${name}.`);
      send({ kind: 'result', id, value: await operation(input as never, createContext(id)) });
    } catch (error) {
      served.onFailure?.(error);
      fail(id, error);
    } finally {
      open.delete(id);
      cancelled.delete(id);
    }
  };
  const close = (served: ServedThread, id: number, isDamaged: boolean): void => {
    try {
      served.close(isDamaged);
      send({ kind: 'result', id, value: null });
    } catch (error) {
      fail(id, error);
    }
  };

  try {
    const { served, opening } = start();
    port.on('message', (message: ToThread) => {
      if (message.kind === 'call') void run(served, message.id, message.name, message.input);
      else if (message.kind === 'close') close(served, message.id, message.isDamaged);
      else if (message.kind === 'end') port.close();
      else if (open.has(message.id)) cancelled.add(message.id);
    });
    const started: ThreadStarted = { names: Object.keys(served.operations), opening };
    send({ kind: 'result', id: 0, value: started });
  } catch (error) {
    fail(0, error);
    port.close();
  }
}
