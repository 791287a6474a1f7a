import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import { toErrorText } from '../../node/error-text.ts';
import type { Logger } from '../logging/logger.ts';
import type { OpenedSecretStore } from './create-keychain.ts';
import {
  checkSecretSize,
  createInMemorySecretStore,
  type SecretName,
  type SecretStore,
} from './secret-store.ts';

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

/** The part of keytar that is used. Its `findCredentials` is not: it crashes the process on a locked keyring. */
export interface KeytarLike {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

interface KeytarSecretStore extends SecretStore {
  /** Writes, reads and deletes an entry. Throws `secrets.*` when one of them can't be done. */
  probe(): Promise<void>;
}

/** Loads the native module; rejects where it, or the system's library under it, is missing. */
export async function loadKeytar(): Promise<KeytarLike> {
  return (await import('keytar')).default;
}

/** One short entry in the system's keychain for each secret: account `connectionId/name`. Throws `secrets.*`. */
export function createKeytarSecretStore(options: {
  keytar: KeytarLike;
  service: string;
  timeoutMs: number;
  /** Hears when a call takes long, and when it has ended. */
  onWaiting?: ((isWaiting: boolean) => void) | undefined;
}): KeytarSecretStore {
  const { keytar, service } = options;
  const call = createKeychainQueue(options.timeoutMs, options.onWaiting);
  const toAccount = (connectionId: string, name: SecretName): string => `${connectionId}/${name}`;
  // Two running programs must not delete each other's entry.
  const probeAccount = `probe/${process.pid}`;

  async function probe(): Promise<void> {
    await write(probeAccount, 'probe');
    await call(() => keytar.deletePassword(service, probeAccount));
  }

  /** A locked keyring has nothing to return either; only one that can be written to proves that there is no secret. */
  async function proveUnlocked(): Promise<void> {
    try {
      await probe();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'secrets.denied') throw error;
      throw new AppError('secrets.locked', 'The keychain neither returns nor takes a secret.', {}, error);
    }
  }

  async function write(account: string, value: string): Promise<void> {
    await call(() => keytar.setPassword(service, account, value));
    const kept = await call(() => keytar.getPassword(service, account));
    if (kept === value) return;
    // A stale entry would win over the new secret for ever.
    await call(() => keytar.deletePassword(service, account));
    throw kept === null
      ? new AppError('secrets.missing', 'A secret was gone right after it was written.')
      : new AppError('secrets.denied', 'The keychain did not keep a secret as it was written.');
  }

  return {
    kind: 'keychain',
    probe,
    async get(connectionId, name) {
      const secret = await call(() => keytar.getPassword(service, toAccount(connectionId, name)));
      if (secret === null) await proveUnlocked();
      return secret;
    },
    async set(connectionId, name, value) {
      checkSecretSize(value);
      await write(toAccount(connectionId, name), value);
    },
    async delete(connectionId, name) {
      const deleted = await call(() => keytar.deletePassword(service, toAccount(connectionId, name)));
      if (!deleted) await proveUnlocked();
    },
  };
}

/** Runs one call of the keychain. Throws `secrets.*`, `secrets.timeout` after the limit. */
type CallKeychain = <Value>(call: () => Promise<Value>) => Promise<Value>;

/** After this time the system is probably asking the person something. */
const QUIET_MS = 1500;

/**
 * Runs keychain calls one after the other, each with a time limit that includes its wait. A call that hangs
 * (an unlock prompt that isn't seen) holds a thread of the pool that files need too: one at most can hang.
 * `onWaiting` hears when a call takes long, and when it has ended, also after its limit.
 */
export function createKeychainQueue(
  timeoutMs: number,
  onWaiting: (isWaiting: boolean) => void = () => undefined,
): CallKeychain {
  let tail: Promise<unknown> = Promise.resolve();

  const watch = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    const result = call();
    const notice = setTimeout(() => {
      onWaiting(true);
      const tellEnd = (): void => onWaiting(false);
      result.then(tellEnd, tellEnd);
    }, QUIET_MS);
    try {
      return await result;
    } finally {
      clearTimeout(notice);
    }
  };
  return async (call) => {
    let expired = false;
    const run = tail.then(() => {
      if (expired) throw toTimeout(timeoutMs);
      return watch(call);
    });
    tail = run.catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        expired = true;
        reject(toTimeout(timeoutMs));
      }, timeoutMs);
    });
    try {
      return await Promise.race([run, limit]);
    } catch (error) {
      throw toKeychainError(error);
    } finally {
      clearTimeout(timer);
    }
  };
}

function toTimeout(timeoutMs: number): AppError {
  return new AppError('secrets.timeout', 'The keychain did not respond in time.', { timeoutMs });
}

/**
 * The name or path of the Secret Service, which stands in errors of a system that has none. Nothing else in the texts of
 * keychains is looked at: they are in the language of the system.
 */
const SECRET_SERVICE = /org[./]freedesktop[./]secrets/;

/** Converts a keychain's error to its code: `secrets.denied`, or `secrets.no-keychain`. Returns an AppError as it is. */
export function toKeychainError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const text = toErrorText(error);
  const code = SECRET_SERVICE.test(text) ? 'secrets.no-keychain' : 'secrets.denied';
  return new AppError(code, 'The keychain refused.', { reason: text.slice(0, 200) }, error);
}
