import { app, Menu, nativeImage, Tray } from 'electron';
import type { Settings } from '../common/model/settings/settings.ts';
import type { Core } from '../core/create-core.ts';
import type { HostPlatform } from '../core/data-folder/standard-folder.ts';
import { TRAY_ICON } from './tray-icon.ts';

export interface TrayKeeper {
  /** True while there is an icon that leads back to the window. */
  isThere(): boolean;
}

/**
 * Keeps an icon in the tray while the person wants the application to go on without its window; following and polling
 * need none. macOS does so by itself, and its dock leads back. Where the system has no tray, there is no icon, and the
 * application ends with its window: what can't be opened again must not go on.
 */
export async function keepInTray(
  core: Pick<Core, 'call' | 'on' | 'logger' | 'readWords'>,
  platform: HostPlatform,
  openWindow: () => void,
): Promise<TrayKeeper> {
  let tray: Tray | null = null;
  const show = (): void => {
    try {
      tray = new Tray(nativeImage.createFromDataURL(TRAY_ICON));
    } catch (error) {
      core.logger.warn('there is no tray', { error });
      return;
    }
    tray.setToolTip('Channelscope');
    tray.on('click', openWindow);
  };
  const showMenu = (): void => {
    const { t } = core.readWords();
    tray?.setContextMenu(
      Menu.buildFromTemplate([
        { label: t('desktop.tray.open'), click: openWindow },
        { type: 'separator' },
        { label: t('desktop.menu.quit'), click: () => app.quit() },
      ]),
    );
  };
  const apply = ({ keepInTray: isWanted }: Pick<Settings, 'keepInTray'>): void => {
    if (platform === 'macos') return;
    if (isWanted) {
      if (tray === null) show();
      // Its language may be another one now.
      showMenu();
      return;
    }
    tray?.destroy();
    tray = null;
  };
  core.on((name, settings) => {
    if (name === 'settings/changed') apply(settings);
  });
  const read = await core.call('settings/get', null);
  if (read.ok) apply(read.value as Settings);
  return { isThere: () => tray !== null && !tray.isDestroyed() };
}
