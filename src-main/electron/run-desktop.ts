import { join } from 'node:path';
import { app, dialog, Menu, nativeTheme, powerSaveBlocker, session, type WebContents } from 'electron';
import { APP_ID } from '../common/app-id.ts';
import { LINK_SCHEME } from '../common/links.ts';
import type { Settings } from '../common/model/settings/settings.ts';
import { createWords, type Words } from '../common/words/words.ts';
import type { Core, SharedCore } from '../core/create-core.ts';
import {
  type DataLocation,
  type HostPlatform,
  locateDataFolder,
  prepareDataFolder,
} from '../core/data-folder/locate-data-folder.ts';
import type { Host } from '../core/host.ts';
import type { Logger } from '../core/logging/logger.ts';
import { serveWindow } from '../core/window/serve-window.ts';
import { toErrorText } from '../node/error-text.ts';
import { createOfferedFiles, registerAppScheme, serveAppFiles } from './app-protocol.ts';
import { showProgress } from './attention/show-notes.ts';
import { createDesktopHost } from './desktop-host.ts';
import { type Ending, endInOrder, stopWithSession, stopWithSystem } from './end-application.ts';
import { sendEvents, serveOffers, serveOperations } from './ipc.ts';
import { findStartedFile, relaunch } from './launch/start-arguments.ts';
import { createOpenedFile, followLinks, type Opened, type Start } from './links/follow-links.ts';
import { installMenu, type MenuActions, offerRecent } from './menus/application-menu.ts';
import { answerProxy, type ConnectionNetworks, createConnectionNetworks } from './network/network-fetch.ts';
import type { StartReport } from './report-start.ts';
import { createPlaceOpener, denyPermissions, guardContents, guardNetwork } from './security/guards.ts';
import { explainRefusedSwitch } from './security/refused-switches.ts';
import { testDesktop } from './self-test.ts';
import { keepInTray, type TrayKeeper } from './tray/keep-in-tray.ts';
import { createUpdateSource } from './updates/create-update-source.ts';
import { loadPage } from './window.ts';
import { createWindows, showContextMenus, watchWindow } from './windows.ts';

/** A start that only brings the window to the front. */
const NOTHING: Start = { words: [], folder: '' };

export interface DesktopOptions {
  readonly platform: HostPlatform;
  readonly location: DataLocation;
  readonly windowFolder: string;
  /** Address of a server that rebuilds the window as it is changed; null for the built one. */
  readonly developmentServer: string | null;
  readonly preload: string;
  readonly workers: Host['workers'];
  readonly createCore: (host: Host) => Promise<SharedCore>;
  /** Where the report goes of a start that tests itself and ends; null for any other. */
  readonly selfTestFile: string | null;
  /** What the packer wrote beside the program. */
  readonly resourcesFolder: string;
  /** What the application was started with. */
  readonly start: Start;
  /** Emits the errors that nobody caught. */
  readonly errors: Pick<NodeJS.Process, 'on'>;
  readonly report: StartReport;
  /** Whether the desktop shows icons of programs. */
  readonly hasTray: (platform: HostPlatform) => Promise<boolean>;
}

/** The desktop application: everything that must come before `ready` is done before this first waits. */
export async function runDesktop(options: DesktopOptions): Promise<void> {
  const { platform, location, preload, report } = options;
  const refusal = explainRefusedSwitch((name) => app.commandLine.hasSwitch(name));
  if (refusal !== null) {
    await reportStartFailure(new Error(refusal), report);
    return;
  }
  const { folder: dataFolder } = location;
  app.enableSandbox();
  registerAppScheme();
  const isInstalled = app.isPackaged && findStartedFile() === null;
  // Windows shows notifications only of an application that it can name; one that isn't installed goes by its program.
  if (platform === 'windows') app.setAppUserModelId(isInstalled ? APP_ID : process.execPath);
  app.setPath('userData', dataFolder);
  // Chromium's own files stay apart from the application's.
  app.setPath('sessionData', join(dataFolder, 'chromium'));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }

  // Until the settings are read, the system's language is all that is known.
  let readWords = (): Words => createWords('system', app.getPreferredSystemLanguages());
  const speak = (): Words => readWords();
  const links = followLinks(options.start, speak);
  // Installers register the scheme elsewhere; under Windows the application does, for its person only. The portable
  // program is somewhere else at each start.
  if (platform === 'windows' && isInstalled) app.setAsDefaultProtocolClient(LINK_SCHEME);
  let creation: Promise<SharedCore> | null = null;
  const colours = Promise.withResolvers<undefined>();
  let tray: TrayKeeper | null = null;
  const ending = endInOrder(() => creation, speak);
  const trusted = new Map<number, WebContents>();
  const offered = createOfferedFiles();
  const openedFile = createOpenedFile(offered);
  const windows = createWindows({
    platform,
    preload,
    dataFolder,
    hasTools: !app.isPackaged,
    trusted,
    isColoured: colours.promise,
    keepFile: openedFile.keep,
    onOpen: (made) => {
      stopWithSession(made, ending);
      showContextMenus(made, speak);
      watchWindow(made, {
        logger: logLater(creation),
        load: () => loadPage(made),
        quit: () => app.quit(),
        now: Date.now,
        readWords: speak,
      });
    },
    onShown: () => report.tell('shown'),
  });
  // A window on a core that stops would show nothing but errors.
  const showWindow = (opened: Opened | null = null): void => {
    if (!ending.isEnding()) windows.show(opened);
  };
  const openAnother = (place: string | null): void => {
    if (!ending.isEnding()) windows.openAnother(place);
  };

  const openPlace = createPlaceOpener(windows.findFront, speak);
  // Heard from here on: what is opened while the application starts is followed once it can be.
  app.on('second-instance', (_event, words, folder) => {
    if (ending.isEnding()) ending.startAgain();
    else links.follow({ words, folder });
  });
  app.on('activate', () => links.follow(NOTHING));
  app.on('session-created', denyPermissions);
  app.on('web-contents-created', (_event, contents) =>
    guardContents(contents, (address) => void openPlace(address)),
  );
  app.on('window-all-closed', () => {
    if (platform === 'macos') return;
    // Without a way back to a window the application would go on unseen.
    if (tray?.isThere() !== true) app.quit();
    else
      void tray.leadsBack().then((isShown) => {
        if (!isShown && windows.list().length === 0) app.quit();
      });
  });

  await app.whenReady();
  stopWithSystem();
  if (location.missingFolder !== null) {
    const choice = await askForMissingFolder(location, speak());
    if (choice !== 'standard') {
      if (choice === 'found') relaunch();
      app.exit(0);
      return;
    }
  }
  denyPermissions(session.defaultSession);
  serveAppFiles(
    session.defaultSession,
    options.windowFolder,
    app.isPackaged ? null : options.developmentServer,
  );
  await prepareDataFolder(dataFolder);
  const networks = createConnectionNetworks();
  const host = createDesktopHost({
    platform,
    location,
    version: app.getVersion(),
    ...networks,
    workers: options.workers,
    findWindow: windows.findFront,
    offered,
    openedFile,
    readWords: speak,
    showWindow: () => void creation?.then(() => showWindow()),
    openAnother,
    startNormally: () => startNormally(options.start.words),
    startAgain,
    updates: findUpdates(options, networks, ending),
  });
  // Electron's own menu would reload the page, and open tools.
  Menu.setApplicationMenu(null);
  creation = options.createCore(host);
  serveOperations(serveWindow(creation, host, { now: Date.now }), trusted);
  serveOffers(offered, trusted);
  // The page is loaded meanwhile; what it asks for waits.
  links.begin(showWindow);
  const core = await creation;
  readWords = core.readWords;
  surviveErrors(options.errors, core, ending);
  guardNetwork({ logger: core.logger, findWindow: windows.findFront, readWords: speak });
  sendEvents(core, trusted);
  await followTheme(core);
  colours.resolve(undefined);
  showProgress(core, windows.list);
  keepAwake(core);
  const openView = (place: string): void => showWindow({ kind: 'place', place });
  const actions: MenuActions = { openAnother: () => openAnother(null), openView };
  installMenu(core, platform, actions);
  tray = await keepInTray(
    core,
    platform,
    (place) => (place === null ? showWindow() : openView(place)),
    options.hasTray,
  );
  if (options.selfTestFile !== null) {
    void testDesktop({
      core,
      platform,
      findWindow: windows.findFront,
      hasTray: () => options.hasTray(platform),
      ending,
      folder: dataFolder,
      file: options.selfTestFile,
      now: Date.now,
      say: (text) => void process.stderr.write(`${text}\n`),
    });
  }
  void offerRecent(core, { ...actions, platform, dataFolder });
}

/** Newer versions, over the same network as connections. */
function findUpdates(
  { platform, resourcesFolder }: DesktopOptions,
  networks: ConnectionNetworks,
  ending: Ending,
): Host['updates'] {
  return createUpdateSource({
    platform,
    isPackaged: app.isPackaged,
    resourcesFolder,
    environment: process.env,
    prepare: async (updater) => {
      await networks.setUp(updater.netSession);
      const logins = answerProxy(networks.readLogins());
      updater.removeAllListeners('login');
      updater.on('login', (info, answer) =>
        logins.answer(info, answer as (userName?: string, password?: string) => void),
      );
    },
    endWith: (lastStep) =>
      ending.endWith(() => {
        // The installed version may be there before this one is gone.
        app.releaseSingleInstanceLock();
        lastStep();
      }),
    startAgain,
  });
}

/** Ends the application in order, and starts it as before. */
function startAgain(): void {
  relaunch();
  app.quit();
}

/** Ends the application, and starts it as before but without `--safe`. */
function startNormally(words: readonly string[]): void {
  relaunch(words.slice(1).filter((word) => word !== '--safe'));
  app.quit();
}

/** Logs what nobody caught, and ends in order for what happened in this process itself. */
function surviveErrors(errors: Pick<NodeJS.Process, 'on'>, { logger }: Core, { fail }: Ending): void {
  const end = (error: unknown): void => {
    logger.error('uncaught', { error });
    fail(error);
  };
  errors.on('uncaughtException', end);
  errors.on('unhandledRejection', end);
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) => {
    if (reason !== 'clean-exit') logger.warn('a process ended', { type, reason, exitCode, name });
  });
}

/** Shows why the application can't start, and ends it. */
export async function reportStartFailure(error: unknown, report: StartReport): Promise<void> {
  // Before that, Linux has no dialog: the text would go where nobody looks who started it by a double click.
  await app.whenReady();
  // Said first: the dialog stops this process until the person has read it.
  report.tell('explained');
  dialog.showErrorBox('Channelscope could not start', toErrorText(error));
  app.exit(1);
}

/** Logs what happens before there is a core as soon as there is one; null, or one that fails, logs nothing. */
function logLater(creation: Promise<Pick<Core, 'logger'>> | null): Pick<Logger, 'error' | 'warn'> {
  // Why there is none is told elsewhere, once.
  const log = (write: (logger: Logger) => void): void =>
    void creation?.then(({ logger }) => write(logger)).catch(() => undefined);
  return {
    error: (...said) => log((logger) => logger.error(...said)),
    warn: (...said) => log((logger) => logger.warn(...said)),
  };
}

/**
 * Makes the parts of the window that the system draws, such as its title bar, follow the theme that the person chose.
 * Returns a function that stops it.
 */
export async function followTheme(core: Pick<Core, 'call' | 'on'>): Promise<() => void> {
  const stop = core.on((name, settings) => {
    if (name === 'settings/changed') nativeTheme.themeSource = settings.theme;
  });
  const read = await core.call('settings/get', null);
  if (read.ok) nativeTheme.themeSource = (read.value as Settings).theme;
  return stop;
}

/** Keeps the computer from going to sleep by itself while something is being downloaded. Returns a function that stops it. */
export function keepAwake(core: Pick<Core, 'on'>): () => void {
  const running = new Set<string>();
  let blocker: number | null = null;
  const release = (): void => {
    if (blocker !== null) powerSaveBlocker.stop(blocker);
    blocker = null;
  };
  const stop = core.on((name, task) => {
    if (name !== 'tasks/changed' || task.kind !== 'download') return;
    if (task.state === 'running') running.add(task.id);
    else running.delete(task.id);
    if (running.size === 0) release();
    else blocker ??= powerSaveBlocker.start('prevent-app-suspension');
  });
  return () => {
    stop();
    release();
  };
}

/**
 * Says that the data folder isn't there, and asks what to do, until it is (`found`), the person goes on with the standard
 * folder this time, or ends. Nothing is created in the meantime.
 */
async function askForMissingFolder(
  { missingFolder, defaultFolder }: DataLocation,
  { t }: Pick<Words, 't'>,
): Promise<'found' | 'standard' | 'quit'> {
  const choices = ['again', 'standard', 'quit'] as const;
  for (;;) {
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      message: t('desktop.missingFolder.title'),
      detail: t('desktop.missingFolder.detail', { folder: missingFolder ?? '', standard: defaultFolder }),
      buttons: choices.map((choice) => t(`desktop.missingFolder.${choice}`)),
      defaultId: 0,
      cancelId: 2,
      noLink: true,
    });
    const choice = choices[response] ?? 'quit';
    if (choice !== 'again') return choice;
    if (locateDataFolder(defaultFolder, null).missingFolder === null) return 'found';
  }
}
