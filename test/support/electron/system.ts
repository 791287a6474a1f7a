import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import { record, requireReady, state } from './state.ts';

export const shell = {
  showItemInFolder(path) {
    record('shell.showItemInFolder', path);
  },
  openExternal(url) {
    record('shell.openExternal', url);
    return Promise.resolve();
  },
} satisfies Pick<Electron.Shell, 'showItemInFolder' | 'openExternal'>;

/** Answers of the person, in order; without one a dialog is closed. */
export const dialogAnswers: { canceled: boolean; filePath: string }[] = [];
/** The buttons that the person presses, in order; without one a box stays open. */
export const boxAnswers: number[] = [];

export const dialog = {
  showSaveDialog(...args: unknown[]) {
    requireReady('dialog module can only be used');
    record('dialog.showSaveDialog', ...args);
    return Promise.resolve(dialogAnswers.shift() ?? { canceled: true, filePath: '' });
  },
  showOpenDialog(...args: unknown[]) {
    requireReady('dialog module can only be used');
    record('dialog.showOpenDialog', ...args);
    const { canceled, filePath } = dialogAnswers.shift() ?? { canceled: true, filePath: '' };
    return Promise.resolve({ canceled, filePaths: canceled ? [] : [filePath] });
  },
  showMessageBox(...args: unknown[]) {
    requireReady('dialog module can only be used');
    record('dialog.showMessageBox', ...args);
    const response = boxAnswers.shift();
    if (response === undefined) return new Promise<never>(() => undefined);
    return Promise.resolve({ response, checkboxChecked: false });
  },
  /** As under Linux, where there is no dialog before the application is ready. */
  showErrorBox(title, text) {
    record(state.isReady ? 'dialog.showErrorBox' : '(standard error)', title, text);
  },
} satisfies Pick<Electron.Dialog, 'showSaveDialog' | 'showOpenDialog' | 'showMessageBox' | 'showErrorBox'>;

export const clipboard = {
  writeText(text: string): Promise<void> {
    record('clipboard.writeText', text);
    return Promise.resolve();
  },
} satisfies Pick<Electron.Clipboard, 'writeText'>;

export const Menu = {
  buildFromTemplate(template: unknown): unknown {
    return { template, popup: () => record('Menu.popup', template) };
  },
  setApplicationMenu(menu: unknown): void {
    record('Menu.setApplicationMenu', menu);
  },
} satisfies Record<keyof Pick<typeof Electron.Menu, 'buildFromTemplate' | 'setApplicationMenu'>, unknown>;

export const screen = {
  getAllDisplays(): { workArea: Electron.Rectangle }[] {
    requireReady("The 'screen' module can't be used");
    return [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }];
  },
} satisfies Record<keyof Pick<Electron.Screen, 'getAllDisplays'>, () => Pick<Electron.Display, 'workArea'>[]>;

class FakeTheme extends EventEmitter {
  shouldUseDarkColors = false;
  themeSource: Electron.NativeTheme['themeSource'] = 'system';
}
export const nativeTheme = new FakeTheme() satisfies Pick<
  Electron.NativeTheme,
  'shouldUseDarkColors' | 'themeSource'
>;

export const powerMonitor = new EventEmitter();

let nextBlocker = 1;
export const powerSaveBlocker = {
  start(type) {
    record('powerSaveBlocker.start', type);
    nextBlocker += 1;
    return nextBlocker;
  },
  stop(id) {
    record('powerSaveBlocker.stop', id);
    return true;
  },
} satisfies Pick<Electron.PowerSaveBlocker, 'start' | 'stop'>;
