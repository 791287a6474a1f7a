import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import { record } from './state.ts';

export const ipcHandlers = new Map<string, (event: never, ...args: unknown[]) => unknown>();

export const ipcMain = {
  handle(channel, handler) {
    if (ipcHandlers.has(channel)) {
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    }
    ipcHandlers.set(channel, handler as (event: never, ...args: unknown[]) => unknown);
  },
} satisfies Pick<Electron.IpcMain, 'handle'>;

/** Calls a handler as a page's message does: input and result are cloned, and what it throws is wrapped. */
export async function callHandler(channel: string, event: unknown, ...args: unknown[]): Promise<unknown> {
  const handler = ipcHandlers.get(channel);
  try {
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    const input = structuredClone(args);
    return structuredClone(await handler(event as never, ...input));
  } catch (error) {
    throw new Error(`Error invoking remote method '${channel}': ${String(error)}`, { cause: error });
  }
}

/** The page's side of IPC; a test connects it to the handlers by giving `sender`. */
class FakeIpcRenderer extends EventEmitter {
  sender: unknown = null;
  invoke(channel: string, ...args: unknown[]): Promise<unknown> {
    record('ipcRenderer.invoke', channel, ...args);
    return callHandler(channel, this.sender, ...args);
  }
}
FakeIpcRenderer.prototype satisfies Pick<Electron.IpcRenderer, 'invoke'>;
export const ipcRenderer = new FakeIpcRenderer();

export const exposed = new Map<string, unknown>();
export const contextBridge = {
  exposeInMainWorld(key, value: unknown) {
    if (exposed.has(key)) throw new Error(`Cannot bind an API on top of an existing property on the window`);
    exposed.set(key, value);
  },
} satisfies Pick<Electron.ContextBridge, 'exposeInMainWorld'>;
