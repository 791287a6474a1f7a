import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { HostPlatform } from '../core/profile/data-folder.ts';

/**
 * Everything by role: the system brings the words and the keys. Reloading and the developer tools are left out,
 * since both would take the window from under a running task.
 */
export function buildMenuTemplate(platform: HostPlatform): MenuItemConstructorOptions[] {
  const view: MenuItemConstructorOptions = {
    label: 'View',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { type: 'separator' },
      { role: 'togglefullscreen' },
    ],
  };
  return platform === 'macos'
    ? [{ role: 'appMenu' }, { role: 'editMenu' }, view, { role: 'windowMenu' }]
    : [{ label: 'File', submenu: [{ role: 'quit' }] }, { role: 'editMenu' }, view, { role: 'windowMenu' }];
}

/** Puts the menu in place. */
export function installMenu(platform: HostPlatform): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(buildMenuTemplate(platform)));
}
