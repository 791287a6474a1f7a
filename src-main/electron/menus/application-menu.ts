import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { writeViewLink } from '../../common/links.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { SpokenKey } from '../../common/words/messages.ts';
import { nameConnection, type Words } from '../../common/words/words.ts';
import type { Core } from '../../core/create-core.ts';
import type { HostPlatform } from '../../core/data-folder/locate-data-folder.ts';
import { writeFileAtomicallySync } from '../../node/files.ts';
import { findStartedFile } from '../launch/start-arguments.ts';

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

/**
 * Keeps the connections that were used last where the system offers such things: the menu of the icon in the dock under
 * macOS, and the jump list of the taskbar under Windows, whose entries start the installed program with a link. Linux has
 * no such place for what changes. The first list is there once this resolves.
 */
export async function offerRecent(
  core: Pick<Core, 'call' | 'on' | 'readWords' | 'logger'>,
  options: MenuActions & { readonly platform: HostPlatform; readonly dataFolder: string },
): Promise<void> {
  const { platform } = options;
  // A program that isn't installed can't be started by a link alone.
  if (platform === 'linux' || (platform === 'windows' && !app.isPackaged)) return;
  const recent = openRecentConnections(options.dataFolder);
  let connections: readonly Connection[] = [];
  let shown = '';
  const show = (): void => {
    const words = core.readWords();
    const listed = recent
      .sort(connections)
      .map((connection) => ({ id: connection.id, name: nameConnection(connection, words) }));
    const now = JSON.stringify([words.language, listed]);
    if (now === shown) return;
    shown = now;
    if (platform === 'macos') showInDock(listed, words.t('desktop.menu.newWindow'), options);
    else if (!showInJumpList(listed, words.t('desktop.recent'))) core.logger.info('there is no jump list');
  };
  const use = ({ lastConnectionId }: Pick<Settings, 'lastConnectionId'>): void => {
    if (lastConnectionId !== null) recent.use(lastConnectionId);
  };
  core.on((...event) => {
    if (event[0] === 'connections/changed') connections = event[1];
    else if (event[0] === 'settings/changed') use(event[1]);
    else return;
    show();
  });
  const [list, settings] = await Promise.all([
    core.call('connections/list', null),
    core.call('settings/get', null),
  ]);
  if (settings.ok) use(settings.value as Settings);
  if (list.ok) connections = list.value as Connection[];
  show();
}

const toPlace = (id: string): string => `/overview?connection=${encodeURIComponent(id)}`;

function showInDock(
  connections: readonly Pick<Connection, 'id' | 'name'>[],
  newWindow: string,
  { openAnother, openView }: MenuActions,
): void {
  const items = connections.map(({ id, name }) => ({ label: name, click: () => openView(toPlace(id)) }));
  app.dock?.setMenu(
    Menu.buildFromTemplate([
      { label: newWindow, click: openAnother },
      ...(items.length === 0 ? [] : [{ type: 'separator' as const }, ...items]),
    ]),
  );
}

/** False where the system refuses it, such as where a person switched such lists off. */
function showInJumpList(connections: readonly Pick<Connection, 'id' | 'name'>[], heading: string): boolean {
  // What a person took out of the list must not come back: the system would refuse all of it.
  const removed = new Set(app.getJumpListSettings().removedItems.map(({ args }) => args));
  const program = findStartedFile() ?? process.execPath;
  const items = connections.map(({ id, name }) => ({
    type: 'task' as const,
    title: name,
    program,
    args: `"${writeViewLink(toPlace(id))}"`,
    iconPath: program,
    iconIndex: 0,
  }));
  const left = items.filter(({ args }) => !removed.has(args));
  // A category without an entry is an error to the system.
  const list: Electron.JumpListCategory[] =
    left.length === 0 ? [] : [{ type: 'custom', name: heading, items: left }];
  return app.setJumpList(list) === 'ok';
}

const FILE_NAME = 'recent-connections.json';
/** How many systems show in such lists. */
const MAX_RECENT = 8;
/** The order of a list is nothing to wait for. */
const MAX_WAIT_MS = 200;

const Ids = Type.Array(Type.String({ maxLength: 100 }), { maxItems: MAX_RECENT });

/** The connections that a person worked with, the last one first. */
interface RecentConnections {
  /** Returns those of `all` that were used, up to eight; others fill what is left, in their order. */
  sort<Named extends { readonly id: string }>(all: readonly Named[]): Named[];
  /** Puts a connection first, for the next start too; false where it was. */
  use(id: string): boolean;
}

/** Reads which connections were used last from a data folder; a file that can't be read counts as none. */
export function openRecentConnections(folder: string): RecentConnections {
  const path = join(folder, FILE_NAME);
  let ids = read(path);
  return {
    sort(all) {
      const used = ids.flatMap((id) => all.filter((one) => one.id === id));
      return [...new Set([...used, ...all])].slice(0, MAX_RECENT);
    },
    use(id) {
      if (ids[0] === id) return false;
      ids = [id, ...ids.filter((other) => other !== id)].slice(0, MAX_RECENT);
      try {
        writeFileAtomicallySync(path, JSON.stringify(ids), { maxWaitMs: MAX_WAIT_MS });
      } catch {
        // A full disk: the order lasts until the application ends.
      }
      return true;
    },
  };
}

function read(path: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Value.Check(Ids, kept) ? kept : [];
  } catch {
    return [];
  }
}
