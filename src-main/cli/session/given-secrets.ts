import type { ConnectionSecrets } from '../../common/model/connections/connection.ts';
import type { SecretStore } from '../../core/secrets/secret-store.ts';

/** Secrets of environment variables, which go before those that are kept, and are never kept themselves. */
export interface GivenSecrets {
  /** Lays what is given over what is kept, for as long as the process runs. */
  over(store: SecretStore): SecretStore;
  give(connectionId: string, secrets: Required<ConnectionSecrets>): void;
}

/** Begins without any. */
export function createGivenSecrets(): GivenSecrets {
  const given = new Map<string, string>();
  return {
    over: (store) => ({
      get kind() {
        return store.kind;
      },
      get: (connectionId, name) => {
        const value = given.get(`${connectionId}/${name}`);
        return value === undefined ? store.get(connectionId, name) : Promise.resolve(value);
      },
      set: (...entry) => store.set(...entry),
      delete: (...entry) => store.delete(...entry),
    }),
    give: (connectionId, { accessToken, accessTokenSecret }) => {
      given.set(`${connectionId}/accessToken`, accessToken);
      given.set(`${connectionId}/accessTokenSecret`, accessTokenSecret);
    },
  };
}
