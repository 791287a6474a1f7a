/** The two secrets of a connection. */
export type ConnectionSecretName = 'accessToken' | 'accessTokenSecret';

/**
 * What of a destination of alerts is secret: where it is, or the user of a mail server; and its key or password. The mark of
 * a command is none, and is kept here because no file of the data folder may bring it.
 */
export type DestinationSecretName =
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
