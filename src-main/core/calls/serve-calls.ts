import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { CallContext, FromServer, ServedOperations, ToServer } from './call-messages.ts';

/** The served end of a port between threads or processes. */
export interface ServerPort {
  postMessage(message: FromServer): void;
  onMessage(listener: (message: ToServer) => void): void;
  /** Lets the thread or process end. */
  close(): void;
}

/** What is served once the start is over. */
export interface Served<Started> {
  readonly operations: ServedOperations;
  readonly started: Started;
  /** Sees the failure of every operation. */
  onFailure?(error: unknown): void;
  /** What an error is to the caller; AppErrors by themselves, anything else `app.bug`. */
  toAppError?(error: unknown): unknown;
}

/** Serves the calls that arrive at a port. What `start` throws fails call 0, and the port is closed. */
export async function serveCalls<Started>(
  port: ServerPort,
  start: () => Served<Started> | Promise<Served<Started>>,
): Promise<void> {
  const open = new Map<number, AbortController>();
  const early: ToServer[] = [];
  let served: Served<Started> | null = null;

  const fail = (id: number, thrown: unknown): void => {
    const error = served?.toAppError?.(thrown) ?? thrown;
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    port.postMessage({ kind: 'failure', id, error: toErrorInfo(error), trace });
  };
  const run = async (
    { operations, onFailure }: Served<Started>,
    id: number,
    name: string,
    input: unknown,
  ) => {
    const controller = new AbortController();
    open.set(id, controller);
    try {
      const operation = operations[name];
      if (operation === undefined) throw new Error(`There is no operation ${name}.`);
      const value = await operation(input as never, createContext(port, id, controller.signal));
      port.postMessage({ kind: 'result', id, value });
    } catch (error) {
      const isCancelled = controller.signal.aborted;
      if (!isCancelled) onFailure?.(error);
      fail(id, isCancelled ? new AppError('app.cancelled', 'The call was cancelled.', {}, error) : error);
    } finally {
      open.delete(id);
    }
  };
  const receive = (message: ToServer): void => {
    if (message.kind === 'end') port.close();
    else if (served === null) early.push(message);
    else if (message.kind === 'call') void run(served, message.id, message.name, message.input);
    else open.get(message.id)?.abort();
  };

  port.onMessage(receive);
  try {
    served = await start();
    port.postMessage({ kind: 'result', id: 0, value: served.started });
    early.forEach(receive);
  } catch (error) {
    fail(0, error);
    port.close();
  }
}

function createContext(port: ServerPort, id: number, signal: AbortSignal): CallContext<unknown> {
  return {
    signal,
    pause: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) throw new AppError('app.cancelled', 'The call was cancelled.');
    },
    progress: (value) => port.postMessage({ kind: 'progress', id, value }),
  };
}
