import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { HostPlatform } from '../core/profile/data-folder.ts';

/**
 * Everything by role: the system supplies labels and shortcuts. Reloading and the developer tools are left out,
 * since both would interrupt the window while tasks run.
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
    ? [{ role: 'appMenu' }, { role: 'fileMenu' }, { role: 'editMenu' }, view, { role: 'windowMenu' }]
    : [{ label: 'File', submenu: [{ role: 'quit' }] }, { role: 'editMenu' }, view, { role: 'windowMenu' }];
}

/** Puts the menu in place. */
export function installMenu(platform: HostPlatform): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(buildMenuTemplate(platform)));
}
