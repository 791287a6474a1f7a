import { AppError } from '../../common/contract/errors.ts';

/** The two secrets of a connection. */
export type ConnectionSecretName = 'accessToken' | 'accessTokenSecret';

/**
 * What of a destination of alerts is secret: where it is, or the user of a mail server; and its key or password. The mark of
 * a command is none, and is kept here because no file of the data folder may bring it.
 */
type DestinationSecretName =
  'destinationAddress' | 'destinationUser' | 'destinationKey' | 'destinationCommand';

/** Those, what a proxy is told, and the key that evidence packs are signed with. */
export type SecretName =
  ConnectionSecretName | 'proxyUserName' | 'proxyPassword' | DestinationSecretName | 'packSigningKey';

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
