import type { CallContext, ServedOperations } from '../../calls/call-messages.ts';
import type { CallByName, CallOptions } from '../../calls/pair-calls.ts';

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
