/** The two secrets of a connection. */
export type SecretName = 'accessToken' | 'accessTokenSecret';

/** Where secrets live. Each secret is one short entry; failures are AppErrors with a `secrets.*` code. */
export interface SecretStore {
  readonly kind: 'keychain' | 'session';
  /** Null when there is none. */
  get(connectionId: string, name: SecretName): Promise<string | null>;
  set(connectionId: string, name: SecretName, value: string): Promise<void>;
  delete(connectionId: string, name: SecretName): Promise<void>;
}
