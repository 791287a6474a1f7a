import type { ConnectionSecrets } from '../../common/model/connections/connection.ts';
import type { OpenSecretStore } from '../../core/secrets/create-keychain.ts';
import { openSecretStore } from '../../core/secrets/open-secret-store.ts';
import type { SecretStore } from '../../core/secrets/secret-store.ts';

/** Secrets of environment variables, which go before those of the keychain and are never kept in it. */
export interface GivenSecrets {
  readonly open: OpenSecretStore;
  give(connectionId: string, secrets: Required<ConnectionSecrets>): void;
}

/** Lays what is given over the keychain, for as long as the process runs. */
export function createGivenSecrets(open: OpenSecretStore = openSecretStore): GivenSecrets {
  const given = new Map<string, string>();
  return {
    open: async (options) => {
      const { store, failure } = await open(options);
      const layered: SecretStore = {
        ...store,
        get: (connectionId, name) => {
          const value = given.get(`${connectionId}/${name}`);
          return value === undefined ? store.get(connectionId, name) : Promise.resolve(value);
        },
      };
      return { store: layered, failure };
    },
    give: (connectionId, { accessToken, accessTokenSecret }) => {
      given.set(`${connectionId}/accessToken`, accessToken);
      given.set(`${connectionId}/accessTokenSecret`, accessTokenSecret);
    },
  };
}
