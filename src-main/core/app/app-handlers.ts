import { AppError, type ErrorInfo } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import type { Host } from '../host.ts';

/** The handlers of `app/…`. */
export function createAppHandlers(parts: {
  readonly host: Host;
  readonly keychain: { readonly kind: 'keychain' | 'session'; readonly failure: ErrorInfo | null };
  now(): number;
}): HandlersOf<'app'> {
  const { host, keychain, now } = parts;
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
  };
}
