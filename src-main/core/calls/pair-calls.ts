import { AppError, type ErrorInfo } from '../../common/contract/errors.ts';
import type { FromServer, ToServer } from './call-messages.ts';

export interface CallOptions<Progress = unknown> {
  /** Ends the call early with AppError `app.cancelled`. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (value: Progress) => void;
  /** Buffers that are moved to the other side; such a call can't be repeated. */
  readonly transfer?: ArrayBuffer[];
}

/** Calls an operation by its name. */
export type CallByName = (name: string, input: unknown, options?: CallOptions) => Promise<unknown>;

/** Calls over a port, paired with their results. */
interface PairedCalls {
  /** Resolves once the other side is ready; rejects when it could not start. */
  readonly started: Promise<unknown>;
  readonly call: CallByName;
  /** Takes a message of the other side. */
  receive(message: FromServer): void;
  /** Asks the other side to end once it is idle. */
  end(): void;
  /** Fails every call that is open, and all later ones. */
  endWith(error: AppError): void;
}

/** Codes of failures that no one expected. */
const UNEXPECTED: ReadonlySet<ErrorInfo['code']> = new Set(['app.bug', 'analysis.failed']);

interface PendingCall {
  readonly name: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: (value: unknown) => void;
}

/** Pairs calls with the results that come back. `onBug` sees failures that no one expected. */
export function pairCalls(
  post: (message: ToServer, transfer: ArrayBuffer[]) => void,
  onBug: (operation: string, trace: string) => void,
): PairedCalls {
  const pending = new Map<number, PendingCall>();
  let lastId = 0;
  let ended: AppError | null = null;

  const send = (message: ToServer, transfer: ArrayBuffer[] = []): void => {
    if (ended === null) post(message, transfer);
  };
  const expect = (
    id: number,
    name: string,
    onProgress: (value: unknown) => void = () => undefined,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ended === null) pending.set(id, { name, resolve, reject, onProgress });
      else reject(ended);
    });

  return {
    started: expect(0, 'start'),
    async call(name, input, { signal, onProgress, transfer } = {}) {
      signal?.throwIfAborted();
      const id = ++lastId;
      const result = expect(id, name, onProgress);
      send({ kind: 'call', id, name, input }, transfer);
      const cancel = (): void => send({ kind: 'cancel', id });
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        return await result;
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    receive(message) {
      const call = pending.get(message.id);
      if (message.kind === 'progress') return call?.onProgress(message.value);
      pending.delete(message.id);
      if (message.kind === 'result') return call?.resolve(message.value);
      if (UNEXPECTED.has(message.error.code)) onBug(call?.name ?? '', message.trace);
      call?.reject(toError(message.error));
    },
    end: () => send({ kind: 'end' }),
    endWith(error) {
      ended ??= error;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    },
  };
}

function toError({ code, message, details }: ErrorInfo): AppError {
  return new AppError(code, message, details);
}

/** Settles as the promise does, but rejects with the signal's reason as soon as it aborts. */
export async function rejectOnAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
