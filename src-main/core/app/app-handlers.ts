import { AppError, type ErrorInfo } from '../../common/contract/errors.ts';
import type { Handlers } from '../../common/contract/index.ts';
import type { Host } from '../host.ts';
import type { SettingsStore } from '../settings/create-settings.ts';

/** What the window may ask about the application itself. */
export function createAppOperations(options: {
  host: Host;
  settings: SettingsStore;
  keychain: { kind: 'keychain' | 'session'; failure: ErrorInfo | null };
  now: () => number;
}): Pick<Handlers, 'app/get-info' | 'app/open-link' | 'settings/get' | 'settings/update'> {
  const { host, settings, keychain, now } = options;
  return {
    'app/get-info': () => ({
      version: host.version,
      platform: host.platform,
      host: host.kind,
      dataFolder: host.dataFolder,
      keychain: { kind: keychain.kind, failure: keychain.failure?.code ?? null },
      nowMs: now(),
    }),
    'app/open-link': async ({ url }) => {
      const link = URL.parse(url);
      if (link?.protocol !== 'https:' || link.username !== '' || link.password !== '') {
        throw new AppError('app.link-refused', 'Only https links without credentials are opened.');
      }
      await host.openLink(link.href);
      return null;
    },
    'settings/get': () => settings.get(),
    'settings/update': (change) => settings.update(change),
  };
}
