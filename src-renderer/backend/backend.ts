import { inject, type InjectionKey } from 'vue';
import type {
  EventName,
  EventPayload,
  Input,
  OperationName,
  Output,
} from '../../src-main/common/contract/index.ts';

/** What is called back about the host. */
export type HostWatcher = (isThere: boolean, hasMissed: boolean) => void;

/** The one door to the core. Two carriers implement it: IPC on the desktop, HTTP in a browser. */
export interface Backend {
  /** Calls the core; rejects with an AppError whose code says what went wrong. */
  call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>>;
  /**
   * Sends a file to the host and returns its id for an import. Only the carrier of a browser has this: the desktop
   * asks for the file itself. Rejects with an AppError, or with the reason of the signal.
   */
  upload?(file: File, signal: AbortSignal): Promise<string>;
  /** The same for a file that was dropped on the window, which the desktop reads in its place. */
  offerFile?(file: File, signal: AbortSignal): Promise<string>;
  /**
   * Calls back with false when the host stops responding, and with true when events arrive again after a gap. Where
   * `hasMissed`, whatever was read before may have changed: events are lost, or calls failed. The desktop's window ends
   * with its host, so its carrier has none.
   */
  watchHost?(listener: HostWatcher): void;
  /** Listens to an event; the returned function stops that. */
  on<Name extends EventName>(name: Name, listener: (payload: EventPayload<Name>) => void): () => void;
}

export const backendKey: InjectionKey<Backend> = Symbol('backend');

/** Returns the backend that the application was given, in components and in stores. */
export function useBackend(): Backend {
  const backend = inject(backendKey);
  if (backend === undefined) throw new Error('The application was mounted without a backend.');
  return backend;
}
