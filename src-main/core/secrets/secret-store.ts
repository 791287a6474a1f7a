import { AppError, type ErrorInfo } from '../../common/contract/errors.ts';

/** The two secrets of a connection. */
export type ConnectionSecretName = 'accessToken' | 'accessTokenSecret';

/**
 * What of a destination of alerts is secret: where it is, or the user of a mail server; and its key or password. The mark of
 * a command is none, and is kept here because no file of the data folder may bring it.
 */
type DestinationSecretName =
  | 'destinationAddress'
  | 'destinationUser'
  | 'destinationKey'
  | 'destinationCommand';

/** Those, what a proxy is told, and the key that evidence packs are signed with. */
export type SecretName =
  | ConnectionSecretName
  | 'proxyUserName'
  | 'proxyPassword'
  | DestinationSecretName
  | 'packSigningKey';

/** Where secrets live. Each secret is one short entry; failures are AppErrors with a `secrets.*` code. */
export interface SecretStore {
  readonly kind: 'keychain' | 'file' | 'session';
  /** Null when there is none. */
  get(connectionId: string, name: SecretName): Promise<string | null>;
  set(connectionId: string, name: SecretName, value: string): Promise<void>;
  delete(connectionId: string, name: SecretName): Promise<void>;
  /** Of a store that isn't the keychain: does in another store what was done in this one. */
  moveTo?(other: SecretStore): Promise<void>;
}

/** Windows takes about 2,500 bytes, by some counts in UTF-16; 1 KiB of UTF-8 fits everywhere. */
const MAX_SECRET_BYTES = 1024;

/** Throws `secrets.too-large` over 1,024 bytes of UTF-8, and `app.invalid-input` for an empty secret. */
export function checkSecretSize(value: string): void {
  if (value === '') throw new AppError('app.invalid-input', 'A secret is empty.', { field: 'secret' });
  // Never the length itself: it helps to guess.
  if (Buffer.byteLength(value, 'utf8') > MAX_SECRET_BYTES) {
    throw new AppError('secrets.too-large', 'A secret is too long for the keychain.', {
      maxBytes: MAX_SECRET_BYTES,
    });
  }
}

/**
 * Keeps secrets until the process ends. `unreadable` is why a keychain that may hold some can't be read:
 * then a secret that was not set here is refused with that error instead of being called absent.
 * Throws `secrets.too-large`, and the code of `unreadable`.
 */
export function createInMemorySecretStore(unreadable: ErrorInfo | null = null): SecretStore {
  const secrets = new Map<string, string>();
  const removed = new Set<string>();
  const split = (account: string): [connectionId: string, name: SecretName] => {
    const at = account.lastIndexOf('/');
    return [account.slice(0, at), account.slice(at + 1) as SecretName];
  };
  return {
    kind: 'session',
    get(connectionId, name) {
      const account = `${connectionId}/${name}`;
      const secret = secrets.get(account);
      if (secret !== undefined) return Promise.resolve(secret);
      if (unreadable === null || removed.has(account)) return Promise.resolve(null);
      return Promise.reject(new AppError(unreadable.code, unreadable.message, unreadable.details));
    },
    async set(connectionId, name, value) {
      checkSecretSize(value);
      await Promise.resolve();
      secrets.set(`${connectionId}/${name}`, value);
      removed.delete(`${connectionId}/${name}`);
    },
    delete(connectionId, name) {
      const account = `${connectionId}/${name}`;
      secrets.delete(account);
      removed.add(account);
      return Promise.resolve();
    },
    async moveTo(other) {
      for (const account of removed) await other.delete(...split(account));
      for (const [account, value] of secrets) await other.set(...split(account), value);
    },
  };
}
