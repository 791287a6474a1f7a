import type { CallContext, ThreadOperations } from './thread-messages.ts';

export interface CallOptions<Progress = never> {
  /** Ends the call early with AppError `app.cancelled`. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (value: Progress) => void;
  /** Buffers that are moved to the thread. Such a call is not repeated after damage. */
  readonly transfer?: ArrayBuffer[];
}

/** An operation of a thread as its caller sees it. Calls reject with AppErrors. */
export type ThreadCall<Operation> = Operation extends (...args: infer Arguments) => infer Result
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
export type ThreadCalls<Operations extends ThreadOperations> = {
  readonly [Name in keyof Operations]: ThreadCall<Operations[Name]>;
};

/** Calls an operation by its name. */
export type CallByName = (name: string, input: unknown, options?: CallOptions<unknown>) => Promise<unknown>;

/** Makes a function of each name. `Operations` must be those that the names stand for. */
export function createCalls<Operations extends ThreadOperations>(
  names: readonly string[],
  call: CallByName,
): ThreadCalls<Operations> {
  const calls = names.map((name) => [
    name,
    (input: unknown, options?: CallOptions<unknown>) => call(name, input, options),
  ]);
  return Object.fromEntries(calls) as ThreadCalls<Operations>;
}
