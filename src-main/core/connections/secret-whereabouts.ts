import { setTimeout as delay } from 'node:timers/promises';
import { toErrorInfo } from '../../common/contract/errors.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import { toOrigin } from '../../common/reporting/base-address.ts';
import type { Logger } from '../logging/logger.ts';
import type { ConnectionSecretName, SecretStore } from '../secrets/secret-store.ts';
import type { SavedConnection } from './connection-file.ts';

/** Nobody waits longer to see the connections. */
const SLOW_MS = 2000;

/** The secrets of a connection, in the order in which they are written. */
export const SECRET_NAMES: readonly ConnectionSecretName[] = ['accessToken', 'accessTokenSecret'];

type Whereabouts = Connection['secrets'];

/** Where the secrets of each connection are. */
export interface SecretWhereabouts {
  /** `unreadable` also while the system asks the person for permission; `onFound` is called once that has an end. */
  find(connection: SavedConnection): Promise<Whereabouts>;
  /** Looks again at the next `find`: for one connection, or for all. */
  forget(connectionId?: string): void;
}

/** Finds where secrets are, and remembers it as long as it can't change. */
export function createSecretWhereabouts(options: {
  readonly secrets: SecretStore;
  readonly logger: Logger;
  readonly onFound: () => void;
  readonly slowMs?: number;
}): SecretWhereabouts {
  const { secrets, logger, onFound, slowMs = SLOW_MS } = options;
  const known = new Map<string, Whereabouts>();
  const lookings = new Map<string, { readonly result: Promise<Whereabouts>; isSlow: boolean }>();

  const look = async (id: string): Promise<Whereabouts> => {
    try {
      const values = await Promise.all(SECRET_NAMES.map((name) => secrets.get(id, name)));
      return values.every((value) => value !== null) ? secrets.kind : 'missing';
    } catch (error) {
      logger.warn('secrets unreadable', { connectionId: id, code: toErrorInfo(error).code });
      return 'unreadable';
    }
  };
  const beginLooking = (id: string): { readonly result: Promise<Whereabouts>; isSlow: boolean } => {
    const looking = { result: look(id), isSlow: false };
    lookings.set(id, looking);
    void looking.result.then((found) => {
      if (lookings.get(id) !== looking) return;
      lookings.delete(id);
      // A locked keychain may be unlocked a moment later, so that result isn't remembered.
      if (found !== 'unreadable') known.set(id, found);
      if (looking.isSlow) onFound();
    });
    return looking;
  };

  return {
    async find({ id, kind, baseAddress, secretsOrigin }) {
      if (kind === 'imported') return 'missing';
      const found = known.get(id);
      if (found !== undefined) return found;
      if (secretsOrigin !== toOrigin(baseAddress)) return 'missing';
      const looking = lookings.get(id) ?? beginLooking(id);
      const slow = delay(slowMs, null, { ref: false });
      const first = await Promise.race([looking.result, slow]);
      looking.isSlow ||= first === null;
      return first ?? 'unreadable';
    },
    forget(connectionId) {
      if (connectionId === undefined) {
        known.clear();
        lookings.clear();
        return;
      }
      known.delete(connectionId);
      lookings.delete(connectionId);
    },
  };
}
