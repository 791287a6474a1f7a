import { AppError, type ErrorInfo } from '../../common/contract/errors.ts';
import { checkSecretSize, type SecretName, type SecretStore } from './secret-store.ts';

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
