import type { MessagePort } from 'node:worker_threads';
import { AppError, toErrorInfo } from '../../../common/contract/errors.ts';
import { toCacheError } from '../file/to-cache-error.ts';
import type { CallContext, FromThread, ThreadOperations, ToThread } from './thread-messages.ts';

/** Answers the calls that arrive at a port; `startup` is the answer to call 0, or its failure. */
export function serveThread(
  port: MessagePort,
  start: () => { operations: ThreadOperations; started: unknown },
): void {
  const cancelled = new Set<number>();
  const open = new Set<number>();
  const send = (message: FromThread): void => port.postMessage(message);
  const fail = (id: number, thrown: unknown): void => {
    const error = toCacheError(thrown);
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    send({ kind: 'failure', id, error: toErrorInfo(error), trace });
  };

  const createContext = (id: number): CallContext => ({
    pause: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (cancelled.has(id)) throw new AppError('app.cancelled', 'The call was cancelled.');
    },
    note: (value) => send({ kind: 'note', id, value }),
  });

  const answer = async (operations: ThreadOperations, id: number, name: string, input: unknown) => {
    open.add(id);
    try {
      const operation = operations[name];
      if (operation === undefined) throw new Error(`The thread has no operation ${name}.`);
      send({ kind: 'answer', id, value: await operation(input as never, createContext(id)) });
    } catch (error) {
      fail(id, error);
    } finally {
      open.delete(id);
      cancelled.delete(id);
    }
  };

  try {
    const { operations, started } = start();
    port.on('message', (message: ToThread) => {
      if (message.kind === 'call') void answer(operations, message.id, message.name, message.input);
      else if (message.kind === 'end') port.close();
      else if (open.has(message.id)) cancelled.add(message.id);
    });
    send({ kind: 'answer', id: 0, value: started });
  } catch (error) {
    fail(0, error);
    port.close();
  }
}
