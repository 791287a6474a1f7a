import { AppError } from '../../common/contract/errors.ts';
import { createKeychainQueue } from './keychain-queue.ts';
import { checkSecretSize } from './secret-size.ts';
import type { SecretName, SecretStore } from './secret-store.ts';

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
