import type { ErrorInfo } from '../../common/contract/errors.ts';
import type { EventArguments, Input, OperationName, Output } from '../../common/contract/index.ts';
import type { Envelope } from '../../common/contract/operation.ts';
import type { NamedFiles } from '../../common/control/control-messages.ts';
import type { ConnectionSecrets } from '../../common/model/connections/connection.ts';
import { toCommandError } from '../exit-codes.ts';

/** An open data folder. */
export interface Session {
  readonly dataFolder: string;
  /** No other program has the folder open. */
  readonly isAlone: boolean;
  /** Calls an operation of the core. Throws a CommandError when it fails. */
  call<Name extends OperationName>(name: Name, input: Input<Name>, files?: NamedFiles): Promise<Output<Name>>;
  /** The same, for callers that look at the failure themselves. */
  tryCall<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
  ): Promise<{ readonly value: Output<Name> } | { readonly error: ErrorInfo }>;
  on(listener: (...event: EventArguments) => void): () => void;
  /**
   * Uses secrets for a connection until the session ends, without keeping them. Null where another program has the
   * folder open: then its own count.
   */
  readonly giveSecrets: ((connectionId: string, secrets: Required<ConnectionSecrets>) => void) | null;
  close(): Promise<void>;
}

/** The parts of a session that differ between the two ways of having one. */
type SessionParts = Pick<Session, 'dataFolder' | 'isAlone' | 'on' | 'giveSecrets' | 'close'> & {
  call(name: string, input: unknown, files: NamedFiles): Promise<Envelope<unknown>>;
};

/** Makes a session whose calls are typed by the contract; the core has checked both sides of each. */
export function toSession({ call, ...parts }: SessionParts): Session {
  return {
    ...parts,
    async call(name, input, files = {}) {
      const result = await call(name, input, files);
      if (result.ok) return result.value as Output<typeof name>;
      throw toCommandError(result.error);
    },
    async tryCall(name, input) {
      const result = await call(name, input, {});
      return result.ok ? { value: result.value as Output<typeof name> } : { error: result.error };
    },
  };
}
