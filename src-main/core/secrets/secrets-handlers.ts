import type { HandlersOf } from '../../common/contract/index.ts';
import type { Keychain as KeychainState } from '../../common/contract/operations/app.ts';
import type { Parts } from '../create-parts.ts';
import { useFoundSecrets, type SecretUsers } from './use-found-secrets.ts';

/** The handlers of `secrets/…`. */
export function createSecretsHandlers(parts: SecretUsers & Pick<Parts, 'keychain'>): HandlersOf<'secrets'> {
  const { keychain } = parts;
  const follow = async (work: Promise<KeychainState>): Promise<KeychainState> => {
    try {
      await work;
    } catch (error) {
      // A file that turned out to be damaged is no longer where secrets are.
      await parts.connections.lookForSecrets();
      throw error;
    }
    await useFoundSecrets(parts);
    return keychain.read();
  };
  return {
    'secrets/create-file': ({ passphrase }) => follow(keychain.createFile(passphrase)),
    'secrets/unlock-file': ({ passphrase }) => follow(keychain.unlockFile(passphrase)),
    'secrets/change-passphrase': ({ passphrase, next }) =>
      follow(keychain.changePassphrase(passphrase, next)),
    'secrets/delete-file': () => follow(keychain.deleteFile()),
  };
}
