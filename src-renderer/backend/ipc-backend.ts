import { AppError } from '../../src-main/common/contract/errors.ts';
import type { EventPayload, Output } from '../../src-main/common/contract/index.ts';
import { type Backend, openEnvelope } from './backend.ts';

/** What the desktop's preload gives the page. */
export interface DesktopBridge {
  /** As Node names it: `darwin`, `win32`, `linux`. */
  readonly platform: string;
  readonly operations: Readonly<Record<string, ((input: unknown) => Promise<unknown>) | undefined>>;
  offerFile(file: File): Promise<unknown>;
  on(name: string, listener: (payload: unknown) => void): () => void;
}

/** Messages between the processes are cloned, and a proxy of Vue can't be. */
function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** The carrier of the desktop. */
export function createIpcBackend(bridge: DesktopBridge): Backend {
  return {
    call: async (name, input) => {
      const operation = Object.hasOwn(bridge.operations, name) ? bridge.operations[name] : undefined;
      if (operation === undefined) throw new AppError('app.unknown-operation', 'No such operation.');
      const envelope = await operation(toPlain(input)).catch((cause: unknown) => {
        throw new AppError('app.host-gone', 'The main process did not respond.', {}, cause);
      });
      return openEnvelope(envelope) as Output<typeof name>;
    },
    offerFile: async (file) => {
      const id = await bridge.offerFile(file).catch(() => null);
      if (typeof id === 'string') return id;
      throw new AppError('imports.upload-gone', 'What was dropped is no file of this computer.');
    },
    on: (name, listener) => bridge.on(name, (payload) => listener(payload as EventPayload<typeof name>)),
  };
}
