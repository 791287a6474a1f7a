import type { ErrorInfo } from '../../common/contract/errors.ts';
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
  };
}
