import { contextBridge, ipcRenderer, webUtils, type IpcRendererEvent } from 'electron';
import { EVENTS, OPERATIONS, type EventName, type OperationName } from '../common/contract/index.ts';
import { OFFER_CHANNEL, toEventChannel, toOperationChannel } from './channels.ts';

/** A method for each operation; each is bound to its own channel, so the page can't choose one. */
const operations = Object.fromEntries(
  (Object.keys(OPERATIONS) as OperationName[]).map((name) => {
    const channel = toOperationChannel(name);
    return [name, (input: unknown): Promise<unknown> => ipcRenderer.invoke(channel, input)];
  }),
);

const channelsByEvent = new Map(
  (Object.keys(EVENTS) as EventName[]).map((name): [string, string] => [name, toEventChannel(name)]),
);

contextBridge.exposeInMainWorld('channelscope', {
  platform: process.platform,
  operations,
  /**
   * Offers a file that a person dropped; resolves to its id, or to null for what is no file of the disk. Its path comes
   * from the system: the page can't name one.
   */
  offerFile: (file: File): Promise<unknown> =>
    ipcRenderer.invoke(OFFER_CHANNEL, webUtils.getPathForFile(file)),
  /** Passes the payloads of one event on; the event object of IPC, which leads back to its sender, stays here. */
  on: (name: string, listener: (payload: unknown) => void): (() => void) => {
    const channel = channelsByEvent.get(name);
    if (channel === undefined) throw new Error('No such event.');
    const forward = (_event: IpcRendererEvent, payload: unknown): void => {
      listener(payload);
    };
    ipcRenderer.on(channel, forward);
    return () => {
      ipcRenderer.removeListener(channel, forward);
    };
  },
});
