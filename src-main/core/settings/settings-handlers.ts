import type { HandlersOf } from '../../common/contract/index.ts';
import type { SettingsStore } from './create-settings.ts';

/** The handlers of `settings/…`. */
export function createSettingsHandlers(settings: SettingsStore): HandlersOf<'settings'> {
  return {
    'settings/get': () => settings.get(),
    'settings/update': (change) => settings.update(change),
  };
}
