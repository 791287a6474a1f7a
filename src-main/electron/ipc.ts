import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { AppError, toErrorInfo } from '../common/contract/errors.ts';
import { OPERATIONS, type OperationName } from '../common/contract/index.ts';
import type { Core } from '../core/create-core.ts';
import { isAppPage } from './app-address.ts';
import { toEventChannel, toOperationChannel } from './channels.ts';

/** Lists are read in pages, so no honest payload is larger (I-02). */
const MOST_INPUT_LENGTH = 1024 * 1024;

/** The windows that may ask. */
export type TrustedContents = ReadonlyMap<number, WebContents>;

/**
 * Whether a message comes from the main frame of one of our windows, showing our page. The frame is read at once:
 * it turns null as soon as the window navigates, and a frame that is gone may throw (E-17).
 */
export function isTrustedSender(
  event: Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'>,
  trusted: TrustedContents,
): boolean {
  try {
    const frame = event.senderFrame;
    return (
      frame !== null &&
      !frame.isDestroyed() &&
      !frame.detached &&
      frame.parent === null &&
      trusted.has(event.sender.id) &&
      isAppPage(frame.url)
    );
  } catch {
    return false;
  }
}

/** Joins every operation of the contract to its channel. A stranger gets a constant error, with nothing of the request in it. */
export function serveOperations(core: Pick<Core, 'call'>, trusted: TrustedContents): void {
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    ipcMain.handle(toOperationChannel(name), (event, input: unknown) => {
      if (!isTrustedSender(event, trusted)) throw new Error('Refused.');
      // Structured clone carries more than JSON does; the core is promised JSON, as over the other carrier.
      const text = JSON.stringify(input) as string | undefined;
      if (text === undefined || text.length > MOST_INPUT_LENGTH) {
        const refusal = new AppError('app.invalid-input', 'The input is not JSON, or too large.');
        return { ok: false, error: toErrorInfo(refusal) };
      }
      return core.call(name, JSON.parse(text));
    });
  }
}

/** Sends every event of the core to every open window; the answer stops it. */
export function sendEvents(core: Pick<Core, 'on'>, trusted: TrustedContents): () => void {
  return core.on((name, payload) => {
    for (const contents of trusted.values()) {
      if (!contents.isDestroyed()) contents.send(toEventChannel(name), payload);
    }
  });
}
