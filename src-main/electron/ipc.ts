import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { AppError, toErrorInfo } from '../common/contract/errors.ts';
import { OPERATIONS, type OperationName } from '../common/contract/index.ts';
import type { Core } from '../core/create-core.ts';
import type { Dispatch } from '../core/dispatch/create-dispatcher.ts';
import { isAppPage, type OfferedFiles } from './app-protocol.ts';
import { OFFER_CHANNEL, toEventChannel, toOperationChannel } from './channels.ts';

/** In characters. Lists are read in pages, so no legitimate input is larger (I-02). */
const MAX_INPUT_LENGTH = 1024 * 1024;

/** The windows whose calls are accepted, by the number of their contents. */
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

/** Handles every operation of the contract on its channel. Any other sender gets a constant error that repeats nothing. */
export function serveOperations(call: Dispatch, trusted: TrustedContents): void {
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    ipcMain.handle(toOperationChannel(name), (event, input: unknown) => {
      if (!isTrustedSender(event, trusted)) throw new Error('Refused.');
      // Structured clone carries more than JSON does; the core accepts JSON only, as over the other carrier.
      const text = JSON.stringify(input) as string | undefined;
      if (text === undefined || text.length > MAX_INPUT_LENGTH) {
        const refusal = new AppError('app.invalid-input', 'The input is not JSON, or too large.');
        return { ok: false, error: toErrorInfo(refusal) };
      }
      return call(name, JSON.parse(text));
    });
  }
}

/** Accepts the files that a person drops on a window: their paths come from the preload, which asks the system for them. */
export function serveOffers(offered: Pick<OfferedFiles, 'offer'>, trusted: TrustedContents): void {
  ipcMain.handle(OFFER_CHANNEL, (event, path: unknown) => {
    if (!isTrustedSender(event, trusted)) throw new Error('Refused.');
    return offered.offer(path);
  });
}

/** Sends every event of the core to every open window; returns a function that stops it. */
export function sendEvents(core: Pick<Core, 'on'>, trusted: TrustedContents): () => void {
  return core.on((name, payload) => {
    for (const contents of trusted.values()) {
      if (!contents.isDestroyed()) contents.send(toEventChannel(name), payload);
    }
  });
}
