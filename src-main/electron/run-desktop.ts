import { app, dialog, session, type BrowserWindow, type WebContents } from 'electron';
import { join } from 'node:path';
import type { Core } from '../core/create-core.ts';
import type { Host } from '../core/host.ts';
import { prepareDataFolder, type HostPlatform } from '../core/profile/data-folder.ts';
import { toErrorText } from '../node/error-text.ts';
import { registerAppScheme, serveAppFiles } from './app-protocol.ts';
import { createDesktopHost } from './desktop-host.ts';
import { sendEvents, serveOperations } from './ipc.ts';
import { installMenu } from './menu.ts';
import { guardContents } from './navigation.ts';
import { createNetworkFetch } from './network-fetch.ts';
import { denyPermissions } from './permissions.ts';
import { showProgress } from './show-progress.ts';
import { openWindow } from './window.ts';

export interface DesktopOptions {
  readonly platform: HostPlatform;
  readonly dataFolder: string;
  readonly windowFolder: string;
  readonly preload: string;
  readonly workers: Host['workers'];
  readonly createCore: (host: Host) => Promise<Core>;
}

/** The desktop application: everything that must come before `ready` is done before this first waits. */
export async function runDesktop(options: DesktopOptions): Promise<void> {
  const { platform, dataFolder, preload } = options;
  app.enableSandbox();
  registerAppScheme();
  app.setPath('userData', dataFolder);
  // Chromium's own files stay apart from the application's.
  app.setPath('sessionData', join(dataFolder, 'chromium'));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }

  let window: BrowserWindow | null = null;
  const trusted = new Map<number, WebContents>();
  const showWindow = (): void => {
    if (window === null) {
      window = openWindow({
        platform,
        preload,
        dataFolder,
        onOpen: ({ webContents }) => trusted.set(webContents.id, webContents),
      });
      const { id } = window.webContents;
      window.once('closed', () => {
        trusted.delete(id);
        window = null;
      });
      return;
    }
    if (window.isMinimized()) window.restore();
    window.focus();
  };

  app.on('session-created', denyPermissions);
  app.on('web-contents-created', (_event, contents) => guardContents(contents));
  app.on('window-all-closed', () => {
    if (platform !== 'macos') app.quit();
  });

  await app.whenReady();
  denyPermissions(session.defaultSession);
  serveAppFiles(session.defaultSession, options.windowFolder);
  await prepareDataFolder(dataFolder);
  // In memory only, and without a cache: what one connection received must never be served to another.
  const network = session.fromPartition('requests', { cache: false });
  const host = createDesktopHost({
    platform,
    dataFolder,
    version: app.getVersion(),
    fetch: createNetworkFetch(network),
    workers: options.workers,
    findWindow: () => window,
  });
  const core = await options.createCore(host);
  serveOperations(core, trusted);
  sendEvents(core, trusted);
  showProgress(core, () => window);
  stopBeforeQuit(core);
  installMenu(platform);
  showWindow();
  app.on('second-instance', showWindow);
  app.on('activate', showWindow);
}

/** Stops the core before the application quits: the first request to quit waits for it, the next one goes through. */
function stopBeforeQuit(core: Core): void {
  let isStopped = false;
  let isStopping = false;
  app.on('before-quit', (event) => {
    if (isStopped) return;
    event.preventDefault();
    if (isStopping) return;
    isStopping = true;
    void core.stop().finally(() => {
      isStopped = true;
      app.quit();
    });
  });
}

/** Shows why the application can't start, and ends it. */
export function reportStartFailure(error: unknown): void {
  dialog.showErrorBox('Channelscope could not start', toErrorText(error));
  app.exit(1);
}
