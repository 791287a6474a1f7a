import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { SpokenKey } from '../../common/words/messages.ts';
import type { Words } from '../../common/words/words.ts';
import type { Core } from '../../core/create-core.ts';
import type { HostPlatform } from '../../core/data-folder/locate-data-folder.ts';

type MenuKey = SpokenKey extends infer Key
  ? Key extends `desktop.menu.${infer Name}`
    ? Name
    : never
  : never;

/** What the menu does itself. */
export interface MenuActions {
  readonly openAnother: () => void;
  /** Leads the window in front to a place of the router, and opens one where none is. */
  readonly openView: (place: string) => void;
}

/**
 * Nearly everything by role: the system supplies what it does and its shortcut. Electron's own labels are English, so each has
 * one of the language. Reloading and the developer tools are left out, since both would interrupt the window while tasks
 * run.
 */
export function buildMenuTemplate(
  platform: HostPlatform,
  { t }: Pick<Words, 't'>,
  { openAnother, openView }: MenuActions,
): MenuItemConstructorOptions[] {
  const item = (role: MenuItemConstructorOptions['role'], name: MenuKey): MenuItemConstructorOptions => ({
    ...(role === undefined ? {} : { role }),
    label: t(`desktop.menu.${name}`),
  });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const place = (name: MenuKey, path: string): MenuItemConstructorOptions => ({
    label: t(`desktop.menu.${name}`),
    click: () => openView(path),
  });
  // The window has this key and that of the guide too, and acts on them wherever the menu isn't shown.
  const settings: MenuItemConstructorOptions = {
    ...place('settings', '/settings'),
    accelerator: 'CmdOrCtrl+,',
    registerAccelerator: false,
  };
  const edit: MenuItemConstructorOptions = {
    label: t('desktop.menu.edit'),
    submenu: [
      item('undo', 'undo'),
      item('redo', 'redo'),
      line,
      item('cut', 'cut'),
      item('copy', 'copy'),
      item('paste', 'paste'),
      item('delete', 'delete'),
      line,
      item('selectAll', 'selectAll'),
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: t('desktop.menu.view'),
    submenu: [
      item('resetZoom', 'resetZoom'),
      item('zoomIn', 'zoomIn'),
      item('zoomOut', 'zoomOut'),
      line,
      item('togglefullscreen', 'fullScreen'),
    ],
  };
  const file: MenuItemConstructorOptions = {
    label: t('desktop.menu.file'),
    submenu: [
      { label: t('desktop.menu.newWindow'), accelerator: 'CmdOrCtrl+N', click: openAnother },
      line,
      // macOS has the settings and the end in the application's own menu.
      ...(platform === 'macos' ? [item('close', 'close')] : [settings, line, item('quit', 'quit')]),
    ],
  };
  const window: MenuItemConstructorOptions = {
    role: 'window',
    label: t('desktop.menu.window'),
    submenu: [
      item('minimize', 'minimize'),
      item('zoom', 'zoom'),
      ...(platform === 'macos' ? [line, item('front', 'front')] : [item('close', 'close')]),
    ],
  };
  const help: MenuItemConstructorOptions = {
    // macOS adds its search of the menus to the one of this role.
    role: 'help',
    label: t('desktop.menu.help'),
    submenu: [
      { ...place('guide', '/help'), accelerator: 'F1', registerAccelerator: false },
      place('shortcuts', '/help/keyboard'),
      place('news', '/help/news'),
      line,
      place('report', '/about/bundle'),
      // macOS has this in the application's own menu.
      ...(platform === 'macos' ? [] : [line, place('about', '/about')]),
    ],
  };
  const menus = [file, edit, view, window, help];
  if (platform !== 'macos') return menus;
  const application: MenuItemConstructorOptions = {
    label: 'Channelscope',
    submenu: [
      place('about', '/about'),
      line,
      settings,
      line,
      item('services', 'services'),
      line,
      item('hide', 'hide'),
      item('hideOthers', 'hideOthers'),
      item('unhide', 'unhide'),
      line,
      item('quit', 'quit'),
    ],
  };
  return [application, ...menus];
}

/** Puts the menu in place, and keeps it in the language of the settings. */
export function installMenu(
  core: Pick<Core, 'on' | 'readWords'>,
  platform: HostPlatform,
  actions: MenuActions,
): void {
  let shown: Words | null = null;
  const show = (): void => {
    const words = core.readWords();
    if (words === shown) return;
    shown = words;
    Menu.setApplicationMenu(Menu.buildFromTemplate(buildMenuTemplate(platform, words, actions)));
  };
  core.on((...event) => {
    if (event[0] === 'settings/changed') show();
  });
  show();
}
