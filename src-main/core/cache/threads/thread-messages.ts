import type { MessagePort } from 'node:worker_threads';
import {
  type CallByName,
  type CallContext,
  type CallOptions,
  serveCalls,
  type ServedOperations,
} from '../../calls/calls.ts';
import { toCacheError } from '../file/open-database.ts';
import type { Inspection } from '../file/open-file.ts';

/** What a thread of the cache is started with. */
export interface ThreadStart {
  readonly role: 'writer' | 'views' | 'scans' | 'check';
  readonly file: string;
  readonly nowMs: number;
  readonly inspection: Inspection;
  readonly firstSnapshotId: number;
  /** Number of this opening, from 1. */
  readonly generation: number;
  /** For a reader that is started before the file is open: what it waits for. Null where it is open already. */
  readonly gate: SharedArrayBuffer | null;
}

/** What a thread reports once its file is open. */
export interface ThreadStarted {
  /** Names of the operations that it serves. */
  readonly names: readonly string[];
  /** From the writer alone: what it found when it opened the file. */
  readonly opening: Opening | null;
}
export interface Opening {
  readonly damagedFolder: string | null;
  readonly damage: string;
  readonly checkedAtMs: number | null;
  /** The highest snapshot id that the file gave out; 0 for none. */
  readonly lastSnapshotId: number;
}

/** A thread whose file is open. */
export interface ServedThread<Operations extends ServedOperations = ServedOperations> {
  readonly operations: Operations;
  /** Sees the failure of every operation. */
  onFailure?(error: unknown): void;
  /** Closes the file; a damaged one without writing to it. */
  close(isDamaged: boolean): void;
}

/** An operation of a thread as its caller sees it. Calls reject with AppErrors. */
type ThreadCall<Operation> = Operation extends (...args: infer Arguments) => infer Result
  ? (...args: CallArguments<Arguments>) => Promise<Awaited<Result>>
  : never;
type CallArguments<Arguments> = Arguments extends []
  ? []
  : Arguments extends [infer Input]
    ? [input: Input]
    : Arguments extends [infer Input, CallContext<infer Progress>]
      ? [input: Input, options?: CallOptions<Progress>]
      : never;

/** Functions that call the operations of a thread. */
export type ThreadCalls<Operations extends ServedOperations> = {
  readonly [Name in keyof Operations]: ThreadCall<Operations[Name]>;
};

/** Makes a function of each name. `Operations` must be those that the names stand for. */
export function createCalls<Operations extends ServedOperations>(
  names: readonly string[],
  call: CallByName,
): ThreadCalls<Operations> {
  const calls = names.map((name) => [
    name,
    (input: unknown, options?: CallOptions) => call(name, input, options),
  ]);
  return Object.fromEntries(calls) as ThreadCalls<Operations>;
}

/** What a gate holds: nothing yet, the file is open, or it could not be opened. */
const [CLOSED, OPEN, GIVEN_UP] = [0, 1, 2] as const;

/** Readers load their code while the writer opens the file, and wait here until it has. */
interface FileGate {
  readonly shared: SharedArrayBuffer;
  /** Lets the readers open the file, or tells them that there is none to open. */
  settle(isFileOpen: boolean): void;
}

/** Creates a gate that is closed, for the threads of one opening of the file. */
export function createFileGate(): FileGate {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const state = new Int32Array(shared);
  return {
    shared,
    settle(isFileOpen) {
      Atomics.store(state, 0, isFileOpen ? OPEN : GIVEN_UP);
      Atomics.notify(state, 0);
    },
  };
}

/** Holds this thread until the file is open. Throws an Error where the writer could not open it. */
export function waitForFile(shared: SharedArrayBuffer): void {
  const state = new Int32Array(shared);
  Atomics.wait(state, 0, CLOSED);
  if (Atomics.load(state, 0) === GIVEN_UP) throw new Error('The file could not be opened for writing.');
}

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
