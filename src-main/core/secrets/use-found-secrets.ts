import type { Parts } from '../create-parts.ts';

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
