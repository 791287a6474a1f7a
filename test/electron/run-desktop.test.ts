import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { APP_ID } from '../../src-main/common/app-id.ts';
import { locateDataFolder } from '../../src-main/core/data-folder/locate-data-folder.ts';
import type { Host } from '../../src-main/core/host.ts';
import { runDesktop } from '../../src-main/electron/run-desktop.ts';
import { buildWindowOptions, readWindowState, saveWindowState } from '../../src-main/electron/window.ts';
import { buildMenuTemplate } from '../../src-main/electron/menus/application-menu.ts';
import {
  app,
  boxAnswers,
  calls,
  dialogAnswers,
  FakeEvent,
  callHandler,
  makeReady,
  namesOfCalls,
  session,
  trays,
  windows,
} from '../support/electron/fake-electron.ts';
import { makeDesktopFolder, removeDesktopFolder } from '../support/electron/desktop-folder.ts';
import { makeSettings } from '../unit/renderer/support/samples.ts';
import { createStubCore, type StubCore } from '../support/fakes/stub-core.ts';
import { ENGLISH } from '../../src-main/common/words/words.ts';

let folder: string;
let core: StubCore;
let host: Host | undefined;
let errors: EventEmitter;
let told: string[];
let isTrayShown: boolean;
beforeEach(async () => {
  errors = new EventEmitter();
  told = [];
  isTrayShown = true;
  folder = await makeDesktopFolder();
  core = createStubCore();
  host = undefined;
});
afterEach(() => removeDesktopFolder(folder));

interface Change {
  platform?: Host['platform'];
  createCore?: (given: Host) => Promise<StubCore>;
  developmentServer?: string;
}

function run({ platform = 'linux', createCore, developmentServer }: Change = {}): Promise<void> {
  const thread = new URL('file:///thread.js');
  return runDesktop({
    platform,
    location: locateDataFolder(join(folder, 'data'), null),
    windowFolder: folder,
    developmentServer: developmentServer ?? null,
    preload: '/app/preload.cjs',
    workers: { cache: thread, service: thread, engine: thread, imports: thread, rows: thread },
    resourcesFolder: '/nowhere',
    createCore:
      createCore ??
      ((given) => {
        host = given;
        return Promise.resolve(core);
      }),
    start: { words: ['channelscope'], folder },
    errors: errors as never,
    report: { tell: (said) => void told.push(said) },
    hasTray: () => Promise.resolve(isTrayShown),
    selfTestFile: null,
  });
}

async function start(change?: Change): Promise<void> {
  const running = run(change);
  makeReady();
  await running;
}

describe('start', () => {
  it.each([
    ['windows', false, [process.execPath]],
    ['windows', true, [APP_ID]],
    ['linux', false, []],
    ['macos', true, []],
  ] as const)(
    '%s can name whose notifications they are, installed: %s',
    async (platform, isPackaged, ids) => {
      app.isPackaged = isPackaged;
      await start({ platform });
      const named = calls.filter(({ name }) => name === 'app.setAppUserModelId');
      expect(named.map(({ args }) => args[0])).toEqual(ids);
    },
  );

  it.each([
    ['', [APP_ID], ['channelscope']],
    // It unpacks the program to another place at each start.
    ['C:\\Tools\\Channelscope-portable.exe', [process.execPath], []],
  ])(
    'under Windows, leaves links to what is installed; the portable file is %j',
    async (file, ids, schemes) => {
      app.isPackaged = true;
      vi.stubEnv('PORTABLE_EXECUTABLE_FILE', file);
      await start({ platform: 'windows' });
      vi.unstubAllEnvs();
      const read = (name: string): unknown[] =>
        calls.filter((call) => call.name === name).map(({ args }) => args[0]);
      expect(read('app.setAppUserModelId')).toEqual(ids);
      expect(read('app.setAsDefaultProtocolClient')).toEqual(schemes);
    },
  );

  it('does what must precede readiness before it', async () => {
    await start();
    const names = namesOfCalls();
    const early = names.slice(0, names.indexOf('(ready)'));
    expect(early).toEqual([
      'app.enableSandbox',
      'protocol.registerSchemesAsPrivileged',
      'app.setPath',
      'app.setPath',
      'app.requestSingleInstanceLock',
      'app.whenReady',
    ]);
    const window = names.indexOf('BrowserWindow');
    for (const name of [
      'session.setPermissionRequestHandler',
      'session.setPermissionCheckHandler',
      'protocol.handle',
    ]) {
      expect(names.indexOf(name)).toBeGreaterThan(-1);
      expect(names.indexOf(name)).toBeLessThan(window);
    }
  });

  it('once it is packed, has no developer tools, and shows no page of a server that rebuilds it', async () => {
    app.isPackaged = true;
    await start({ developmentServer: 'http://127.0.0.1:9' });
    expect(windows[0]?.options.webPreferences?.devTools).toBe(false);
    const serve = session.defaultSession.protocolHandlers.get('app');
    const page = await serve?.(new Request('app://channelscope/index.html'));
    expect(page?.status).toBe(200);
  });

  it('gives its scheme the rights it needs and no more', async () => {
    await start();
    const { args } = calls.find((call) => call.name === 'protocol.registerSchemesAsPrivileged')!;
    expect(args).toEqual([
      [
        {
          scheme: 'app',
          privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
        },
      ],
    ]);
  });

  it('loads the one page, in a window whose contents are guarded and trusted', async () => {
    await start();
    expect(calls.filter((call) => call.name === 'loadURL')).toEqual([
      { name: 'loadURL', args: ['app://channelscope/index.html'] },
    ]);
    const { webContents } = windows[0]!;
    expect(webContents.windowOpenHandler?.({ url: 'app://channelscope/index.html' })).toEqual({
      action: 'deny',
    });
    const frame = {
      url: 'app://channelscope/index.html',
      parent: null,
      detached: false,
      isDestroyed: () => false,
    };
    const event = { sender: webContents, senderFrame: frame };
    expect(
      await callHandler('operation:tasks/list', { sender: { id: webContents.id }, senderFrame: frame }, null),
    ).toMatchObject({ ok: false });
    windows[0]!.close();
    await expect(callHandler('operation:tasks/list', event, null)).rejects.toThrow('Refused.');
  });

  it('denies permissions in every session, the one for requests too', async () => {
    await start();
    const guarded = calls
      .filter((call) => call.name === 'session.setPermissionRequestHandler')
      .map((call) => call.args[0]);
    expect(guarded).toContain('');
    host!.fetchFor('one');
    const names = calls
      .filter((call) => call.name === 'session.setPermissionRequestHandler')
      .map((call) => call.args[0]);
    expect(names).toContain('requests-one');
  });

  it('leaves to the instance that is open already', async () => {
    app.hasLock = false;
    await start();
    expect(namesOfCalls()).toContain('app.quit');
    expect(namesOfCalls()).not.toContain('BrowserWindow');
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('shows the window again for a second instance, whatever it was asked', async () => {
    await start();
    windows[0]!.minimized = true;
    app.emit('second-instance', new FakeEvent(), ['channelscope', 'channelscope://evil', '--no-sandbox']);
    expect(namesOfCalls().slice(-4)).toEqual(['restore', 'show', 'focus', 'dialog.showMessageBox']);
    expect(windows).toHaveLength(1);
  });
});

describe('host', () => {
  it('lets the user choose where an export goes, and shows it when it is done', async () => {
    await start();
    expect(await host!.chooseExportTarget('a.csv')).toBeNull();
    dialogAnswers.push({ canceled: false, filePath: '/exports/a.csv' });
    expect(await host!.chooseExportTarget('a.csv')).toBe('/exports/a.csv');
    expect(await host!.revealExport('/exports/a.csv')).toBeNull();
    expect(namesOfCalls()).toContain('shell.showItemInFolder');
  });
});

describe('window options', () => {
  const state = { bounds: null, isMaximized: false };
  const preload = '/app/preload.cjs';

  it.each(['macos', 'windows', 'linux'] as const)('E-03: are the approved ones on %s', (platform) => {
    const options = buildWindowOptions({ platform, preload, hasTools: false, isDark: false, state });
    expect(options.webPreferences).toEqual({
      preload,
      contextIsolation: true,
      sandbox: true,
      webSecurity: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: false,
    });
    expect(options.show).toBe(false);
  });

  it('leave room for the buttons of each system', () => {
    expect(
      buildWindowOptions({ platform: 'macos', preload, hasTools: false, isDark: false, state }),
    ).toMatchObject({
      titleBarStyle: 'hiddenInset',
      titleBarOverlay: true,
      trafficLightPosition: { x: 11, y: 16 },
    });
    expect(
      buildWindowOptions({ platform: 'windows', preload, hasTools: false, isDark: true, state }),
    ).toMatchObject({
      titleBarStyle: 'hidden',
      titleBarOverlay: { height: 44 },
    });
  });

  it('remember the place of the window, unless no screen shows it', async () => {
    const screens = [{ x: 0, y: 0, width: 1920, height: 1080 }];
    const bounds = { x: 100, y: 50, width: 1000, height: 700 };
    expect(readWindowState(folder, screens)).toEqual(state);
    saveWindowState(folder, screens, { bounds, isMaximized: true });
    expect(readWindowState(folder, screens)).toEqual({ bounds, isMaximized: true });
    saveWindowState(folder, screens, { bounds: { ...bounds, x: 5000 }, isMaximized: false });
    expect(readWindowState(folder, screens)).toEqual(state);
    // Wayland says 0 of every place: only the size is worth keeping.
    saveWindowState(folder, screens, {
      bounds: { x: 0, y: 0, width: 1000, height: 700 },
      isMaximized: false,
    });
    expect(readWindowState(folder, screens).bounds).toEqual({ width: 1000, height: 700 });
    await writeFile(join(folder, 'window.json'), '{"x":"1"');
    expect(readWindowState(folder, screens)).toEqual(state);
  });

  it('remember a place for each arrangement of screens, and the last one for others', () => {
    const laptop = [{ x: 0, y: 0, width: 1440, height: 900 }];
    const desk = [...laptop, { x: 1440, y: 0, width: 2560, height: 1440 }];
    const small = { x: 20, y: 20, width: 1000, height: 700 };
    const large = { x: 1600, y: 100, width: 2000, height: 1200 };
    saveWindowState(folder, desk, { bounds: large, isMaximized: false });
    // Nothing is known of the laptop alone, and the last place is off its screen.
    expect(readWindowState(folder, laptop)).toEqual(state);
    saveWindowState(folder, laptop, { bounds: small, isMaximized: true });
    expect(readWindowState(folder, desk)).toEqual({ bounds: large, isMaximized: false });
    expect(readWindowState(folder, laptop)).toEqual({ bounds: small, isMaximized: true });
    expect(readWindowState(folder, [{ x: 0, y: 0, width: 1920, height: 1080 }])).toEqual({
      bounds: small,
      isMaximized: true,
    });
  });
});

const NO_ACTIONS = { openAnother: () => undefined, openView: () => undefined };

describe('menu', () => {
  it('ends with help, whose entries lead to places in the window', () => {
    for (const platform of ['macos', 'windows', 'linux'] as const) {
      const places: string[] = [];
      const menus = buildMenuTemplate(platform, ENGLISH, {
        ...NO_ACTIONS,
        openView: (place) => void places.push(place),
      });
      const help = menus.at(-1);
      expect(help).toMatchObject({ role: 'help', label: 'Help' });
      const entries = (help!.submenu as Electron.MenuItemConstructorOptions[]).filter(({ click }) => click);
      expect(entries.map(({ label }) => label).slice(0, 4)).toEqual([
        'Guide',
        'Keyboard Shortcuts',
        'What’s New',
        'Report a Problem…',
      ]);
      // macOS has About in the menu of the application.
      expect(entries.some(({ label }) => label === 'About Channelscope')).toBe(platform !== 'macos');
      for (const { click } of entries) (click as () => void)();
      expect(places.slice(0, 4)).toEqual(['/help', '/help/keyboard', '/help/news', '/about/bundle']);
      for (const page of ['keyboard', 'news']) {
        expect(existsSync(new URL(`../../resources/guide/${page}.md`, import.meta.url)), page).toBe(true);
      }
    }
  });

  it.each([
    ['macos', 'Channelscope'],
    ['windows', 'File'],
    ['linux', 'File'],
  ] as const)('has the settings with their key, on %s under %s', (platform, name) => {
    const places: string[] = [];
    const openView = (place: string): void => void places.push(place);
    const menus = buildMenuTemplate(platform, ENGLISH, { ...NO_ACTIONS, openView });
    const entries = menus.find(({ label }) => label === name)?.submenu;
    const settings = (entries as Electron.MenuItemConstructorOptions[]).find(
      ({ accelerator }) => accelerator === 'CmdOrCtrl+,',
    );
    expect(settings?.label).toBe('Settings…');
    (settings!.click as () => void)();
    expect(places).toEqual(['/settings']);
  });

  it('a window closes by its shortcut on macOS', () => {
    const file = buildMenuTemplate('macos', ENGLISH, NO_ACTIONS).find(({ label }) => label === 'File');
    expect(file?.submenu).toContainEqual({ role: 'close', label: 'Close Window' });
  });

  it.each(['macos', 'windows', 'linux'] as const)('reloads nothing and opens no tools on %s', (platform) => {
    const text = JSON.stringify(buildMenuTemplate(platform, ENGLISH, NO_ACTIONS));
    expect(text).not.toMatch(/reload|toggleDevTools/iu);
    expect(text).toContain('"zoomIn"');
  });
});

describe('the tray', () => {
  it('lets the application go on without its window, and leads back to one', async () => {
    core = createStubCore({ 'settings/get': () => makeSettings({ keepInTray: true }) });
    await start();
    windows[0]?.close();
    app.emit('window-all-closed');
    expect(namesOfCalls()).not.toContain('app.quit');
    trays[0]?.choose('Open Channelscope');
    expect(windows).toHaveLength(2);
    core.send('settings/changed', makeSettings({ keepInTray: false }));
    windows[1]?.close();
    app.emit('window-all-closed');
    expect(namesOfCalls()).toContain('app.quit');
  });
});

it('a desktop that shows icons no longer leaves nothing running unseen', async () => {
  core = createStubCore({ 'settings/get': () => makeSettings({ keepInTray: true }) });
  await start();
  isTrayShown = false;
  windows[0]?.close();
  await expect.poll(namesOfCalls).toContain('app.quit');
});

describe('a data folder that is missing', () => {
  const chosen = (): string => join(folder, 'disk', 'moved');
  const markChosen = async (): Promise<void> => {
    await mkdir(join(folder, 'data'), { recursive: true });
    const location = {
      version: 1,
      chosen: { folder: chosen(), id: 'mine' },
      previous: null,
      unfinished: null,
    };
    await writeFile(join(folder, 'data', 'data-folder.json'), JSON.stringify(location));
  };
  const plugIn = (): void => {
    mkdirSync(chosen(), { recursive: true });
    writeFileSync(join(chosen(), 'data-folder.id'), 'mine\n');
  };

  it('is named, and nothing is started in its place unless the person says so', async () => {
    await markChosen();
    boxAnswers.push(2);
    await start();
    const [asked] = calls.filter(({ name }) => name === 'dialog.showMessageBox');
    expect(JSON.stringify(asked?.args)).toContain(chosen());
    expect(namesOfCalls()).toContain('app.exit');
    expect(host).toBeUndefined();
    expect(windows).toEqual([]);
    expect(existsSync(chosen())).toBe(false);
  });

  it('is looked for again, and the application starts anew once it is there', async () => {
    await markChosen();
    boxAnswers.push(0);
    const running = run();
    plugIn();
    makeReady();
    await running;
    expect(namesOfCalls()).toContain('app.relaunch');
    expect(host).toBeUndefined();
  });

  it('leaves the standard folder to be used this time', async () => {
    await markChosen();
    boxAnswers.push(1);
    await start();
    expect(host).toMatchObject({ dataFolder: join(folder, 'data'), location: { missingFolder: chosen() } });
  });
});
