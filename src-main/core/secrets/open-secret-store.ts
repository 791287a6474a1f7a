import { AppError, toErrorInfo, type ErrorInfo } from '../../common/contract/errors.ts';
import { toErrorText } from '../../node/error-text.ts';
import type { Logger } from '../logging/logger.ts';
import { createInMemorySecretStore } from './in-memory-secret-store.ts';
import { createKeytarSecretStore, loadKeytar, type KeytarLike } from './keytar-secret-store.ts';
import type { SecretStore } from './secret-store.ts';

/**
 * Opens the system's keychain; where it can't be used, secrets live in memory for this session and
 * `failure` is the reason. Never throws. Calling it again is how to try again. The time limit is 5,000 ms for each call of
 * the keychain: a prompt to unlock it may be hidden from the user.
 */
export async function openSecretStore(options: {
  load?: () => Promise<KeytarLike>;
  timeoutMs?: number;
  service?: string;
  logger: Logger;
}): Promise<{ store: SecretStore; failure: ErrorInfo | null }> {
  const { load = loadKeytar, timeoutMs = 5000, service = 'Channelscope', logger } = options;
  try {
    const store = createKeytarSecretStore({ keytar: await loadGuarded(load), service, timeoutMs });
    await store.probe();
    return { store, failure: null };
  } catch (error) {
    const failure = toErrorInfo(error);
    logger.warn('The keychain can not be used; secrets are kept for this session only.', {
      failure: failure.code,
      reason: failure.details['reason'],
    });
    const mayHoldSecrets = failure.code !== 'secrets.no-keychain';
    return { store: createInMemorySecretStore(mayHoldSecrets ? failure : null), failure };
  }
}

/** Whatever stops the native module from loading, there is no keychain then. */
async function loadGuarded(load: () => Promise<KeytarLike>): Promise<KeytarLike> {
  try {
    return await load();
  } catch (error) {
    throw new AppError(
      'secrets.no-keychain',
      'The keychain module can not be loaded.',
      { reason: toErrorText(error).slice(0, 200) },
      error,
    );
  }
}
