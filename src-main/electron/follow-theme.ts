import { nativeTheme } from 'electron';
import type { Settings } from '../common/model/settings/settings.ts';
import type { Core } from '../core/create-core.ts';

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
