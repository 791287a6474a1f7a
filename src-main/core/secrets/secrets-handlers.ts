import type { HandlersOf } from '../../common/contract/index.ts';
import type { Keychain as KeychainState } from '../../common/contract/operations/app.ts';
import type { Parts } from '../create-parts.ts';

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

/** What has waited for secrets, or may have them from somewhere else now. */
export interface SecretUsers {
  readonly connections: Pick<Parts['connections'], 'lookForSecrets'>;
  readonly following: Pick<Parts['following'], 'list' | 'wake'>;
}

/** Lets everything that lacked secrets look for them again, after they may have come to another place. */
export async function useFoundSecrets({ connections, following }: SecretUsers): Promise<void> {
  await connections.lookForSecrets();
  for (const { connectionId, failure } of following.list()) {
    if (failure?.code.startsWith('secrets.') === true) following.wake(connectionId);
  }
}
