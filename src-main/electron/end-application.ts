import { app, dialog, powerMonitor, type BrowserWindow } from 'electron';
import type { Words } from '../common/words/words.ts';
import type { Core } from '../core/create-core.ts';
import { toErrorText } from '../node/error-text.ts';
import { relaunch } from './launch/start-arguments.ts';

/** A core that doesn't stop by then is left to the cache's log, which the next start reads. */
const MAX_STOP_MS = 10_000;

export interface Ending {
  /** True from the first request to end on. */
  readonly isEnding: () => boolean;
  /** Begins to stop where the system won't wait: it signs the user out. */
  readonly stopAtOnce: () => void;
  /** Opens the application again once it has ended: somebody started it meanwhile. */
  readonly startAgain: () => void;
  /** Ends in order, and then does something else than to quit: what it does ends the process. */
  readonly endWith: (lastStep: () => void) => void;
  /** Ends for an error that nobody caught: the core is stopped, and the person told. */
  readonly fail: (error: unknown) => void;
}

/**
 * Ends the application in order, however that is asked for: the core is stopped first, for ten seconds at most. Must be
 * called before the core is created; `findCore` returns its creation once that has begun, and `readWords` the language to
 * explain an error in, which stays English itself.
 */
export function endInOrder(findCore: () => Promise<Core> | null, readWords: () => Words): Ending {
  let stopping: Promise<void> | null = null;
  let isStopped = false;
  let hasFailed = false;
  let startsAgain = false;
  let endProcess = (): void => app.quit();

  const stopCore = async (): Promise<void> => {
    const core = await findCore()?.catch(() => null);
    await core?.stop().catch(() => undefined);
  };
  const stop = (): Promise<void> => {
    stopping ??= new Promise<void>((resolve) => {
      setTimeout(resolve, MAX_STOP_MS).unref();
      void stopCore().then(resolve);
    }).then(() => {
      isStopped = true;
    });
    return stopping;
  };
  app.on('before-quit', (event) => {
    if (isStopped) return;
    event.preventDefault();
    // Whatever asks again meanwhile waits for the same stop.
    if (stopping !== null) return;
    void stop().then(() => {
      if (startsAgain) relaunch();
      endProcess();
    });
  });
  return {
    isEnding: () => stopping !== null,
    stopAtOnce: () => void stop(),
    startAgain: () => {
      startsAgain = true;
    },
    endWith: (lastStep) => {
      endProcess = lastStep;
      app.quit();
    },
    fail: (error) => {
      if (hasFailed) return;
      hasFailed = true;
      void stop().then(() => {
        const { t } = readWords();
        dialog.showErrorBox(
          t('desktop.trouble.closing'),
          `${t('desktop.trouble.kept')}\n\n${toErrorText(error)}`,
        );
        app.exit(1);
      });
    },
  };
}

/** Where the system tells its programs that it shuts down, it waits for those that ask for it. */
export function stopWithSystem(): void {
  powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
    event?.preventDefault();
    app.quit();
  });
}

/** Windows ends programs at once when the user signs out; only its windows are told. */
export function stopWithSession(window: BrowserWindow, ending: Ending): void {
  window.on('session-end', () => ending.stopAtOnce());
}
