import { dialog, type BrowserWindow } from 'electron';
import type { Words } from '../common/words/words.ts';
import type { Logger } from '../core/logging/logger.ts';

/** A window that stopped twice within this time isn't loaded a third time. */
const QUIET_MS = 10 * 60_000;
/** After Electron's own half minute: a page may be busy for a while. */
const MAX_HANG_MS = 10_000;
/** Chromium's code for a load that another one replaced. */
const ABORTED = -3;

interface WatchOptions {
  readonly logger: Pick<Logger, 'error' | 'warn'>;
  readonly load: () => void;
  readonly quit: () => void;
  readonly now: () => number;
  readonly readWords: () => Words;
}

/** Survives the end or the hanging of a window's process: the page is loaded again once, and then the person asked. */
export function watchWindow(window: BrowserWindow, options: WatchOptions): void {
  const { logger, load, quit, now, readWords } = options;
  const contents = window.webContents;
  let reloadedAtMs = Number.NEGATIVE_INFINITY;
  let hang: NodeJS.Timeout | undefined;
  let isAsking = false;

  const again = (): void => {
    // Not from within the event: the process is still being taken down then.
    setTimeout(() => {
      if (window.isDestroyed()) return;
      reloadedAtMs = now();
      load();
    }, 0);
  };
  const ask = async (message: string, detail: string): Promise<void> => {
    if (isAsking || window.isDestroyed()) return;
    isAsking = true;
    const { t } = readWords();
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      message,
      detail,
      buttons: [t('desktop.trouble.reload'), t('desktop.trouble.quit')],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    });
    isAsking = false;
    if (response === 1) quit();
    else again();
  };
  const recover = (message: string, detail: string): void => {
    if (now() - reloadedAtMs > QUIET_MS) again();
    else void ask(message, detail);
  };

  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    clearTimeout(hang);
    if (reason === 'clean-exit') return;
    logger.error('the window ended', { reason, exitCode });
    const { t } = readWords();
    recover(t('desktop.trouble.stopped'), t('desktop.trouble.ended', { reason, code: exitCode }));
  });
  window.on('unresponsive', () => {
    logger.warn('the window hangs');
    clearTimeout(hang);
    hang = setTimeout(() => {
      // Its end is reported like any other.
      if (!window.isDestroyed()) contents.forcefullyCrashRenderer();
    }, MAX_HANG_MS);
  });
  window.on('responsive', () => clearTimeout(hang));
  window.once('closed', () => clearTimeout(hang));
  contents.on('preload-error', (_event, _path, error) => {
    logger.error('the preload script failed', { error });
  });
  contents.on('did-fail-load', (_event, code, words, _url, isMainFrame) => {
    if (!isMainFrame || code === ABORTED) return;
    logger.error('the window was not loaded', { code, words });
    const { t } = readWords();
    const reason = words === '' ? t('desktop.trouble.unknownReason') : words;
    void ask(t('desktop.trouble.notLoaded'), `${reason} (${code}).`);
  });
}
