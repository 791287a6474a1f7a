import type { HandlersOf } from '../../common/contract/index.ts';
import type { SettingsStore } from './create-settings.ts';
import { readPemCertificates } from './read-certificates.ts';

/** The handlers of `settings/…`. */
export function createSettingsHandlers(parts: { readonly settings: SettingsStore }): HandlersOf<'settings'> {
  const { settings } = parts;
  return {
    'settings/get': () => settings.get(),
    'settings/update': (change) => settings.update(change),
    'settings/list-set-aside': () => settings.listSetAside(),
    'settings/read-certificates': ({ pem }) => readPemCertificates(pem),
  };
}
