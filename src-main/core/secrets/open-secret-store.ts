import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import { toErrorText } from '../../node/error-text.ts';
import type { Logger } from '../logging/logger.ts';
import type { OpenedSecretStore } from './create-keychain.ts';
import { createInMemorySecretStore } from './in-memory-secret-store.ts';
import { createKeytarSecretStore, loadKeytar, type KeytarLike } from './keytar-secret-store.ts';

/**
 * Opens the system's keychain; where it can't be used, secrets live in memory for this session and
 * `failure` is the reason. Never throws. Calling it again is how to try again. The time limit, 5,000 ms unless told, is that
 * of each call of the keychain.
 */
export async function openSecretStore(options: {
  load?: () => Promise<KeytarLike>;
  timeoutMs?: number;
  service?: string;
  onWaiting?: (isWaiting: boolean) => void;
  logger: Logger;
}): Promise<OpenedSecretStore> {
  const { load = loadKeytar, timeoutMs = 5000, service = 'Channelscope', onWaiting, logger } = options;
  try {
    const keytar = await loadGuarded(load);
    const store = createKeytarSecretStore({ keytar, service, timeoutMs, onWaiting });
    await store.probe();
    return { store, failure: null };
  } catch (error) {
    const hasRefused = error instanceof AppError && error.code === 'secrets.denied';
    const isAbsent = hasRefused && !mayHaveKeychain(process.platform, process.env);
    const failure = { ...toErrorInfo(error), ...(isAbsent ? { code: 'secrets.no-keychain' as const } : {}) };
    logger.warn('the keychain cannot be used; secrets are kept for this session only', {
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
      'The keychain module cannot be loaded.',
      { reason: toErrorText(error).slice(0, 200) },
      error,
    );
  }
}

/** False on a Linux without a session bus that is there, over which every keychain is reached. Other systems need none. */
export function mayHaveKeychain(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if (platform === 'win32' || platform === 'darwin') return true;
  const { DBUS_SESSION_BUS_ADDRESS: address = '', XDG_RUNTIME_DIR: folder = '' } = environment;
  if (address === '') return folder !== '' && existsSync(join(folder, 'bus'));
  return address.split(';').some((each) => each !== '' && mayAnswer(each));
}

/** False for the socket of a session that is over: its address stays in shells and services that go on. */
function mayAnswer(address: string): boolean {
  const [, path] = /^unix:(?:.*,)?path=([^,]*)/.exec(address) ?? [];
  if (path === undefined) return true;
  try {
    return existsSync(decodeURIComponent(path));
  } catch {
    return true;
  }
}
