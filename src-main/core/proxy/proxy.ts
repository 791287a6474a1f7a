import type { Emit } from '../../common/contract/index.ts';
import type { ProxyChallenge, ProxySignIn } from '../../common/contract/operations/app.ts';
import { type NetworkChoice, toNetworkChoice } from '../../common/model/settings/network.ts';
import type { Events, Host, ProxyLogin, ProxyLogins } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { SettingsStore } from '../settings/create-settings.ts';

export interface ProxyLoginStore extends ProxyLogins {
  readChallenge(): ProxyChallenge | null;
  /** Another way to services is in use: what a proxy on the one before asked for no longer matters. */
  dropChallenge(): void;
  /** Keeps a login for the next request. Throws `secrets.*` where it can't be kept; then it serves this session only. */
  signIn(login: ProxySignIn): Promise<void>;
}

interface Known extends ProxyLogin {
  /** The proxy let a request through with it. */
  isAccepted: boolean;
  /** A request is trying it. */
  isTried: boolean;
}

/**
 * The logins of proxies, kept with the other secrets. A login that a proxy has not accepted yet is tried by one request
 * at a time and forgotten once refused: a wrong password must not be sent over and over, or the account may be locked.
 */
export function createProxyLogins(options: {
  readonly secrets: SecretStore;
  readonly emit: Emit;
  readonly logger: Logger;
  /** Makes a secret known to whatever writes logs. */
  readonly noteSecret: (secret: string) => void;
}): ProxyLoginStore {
  const { secrets, emit, logger, noteSecret } = options;
  const logins = new Map<string, Known | null>();
  let challenge: ProxyChallenge | null = null;

  const setChallenge = (next: ProxyChallenge | null): void => {
    if (JSON.stringify(next) === JSON.stringify(challenge)) return;
    challenge = next;
    emit('app/proxy-challenge-changed', next);
  };
  const readKept = async (proxy: string): Promise<Known | null> => {
    const [userName, password] = await Promise.all([
      secrets.get(toEntry(proxy), 'proxyUserName'),
      secrets.get(toEntry(proxy), 'proxyPassword'),
    ]);
    if (userName === null || password === null) return null;
    noteSecret(password);
    return { userName, password, isAccepted: false, isTried: false };
  };
  const findKnown = async (proxy: string): Promise<Known | null> => {
    const known = logins.get(proxy);
    if (known !== undefined) return known;
    const kept = await readKept(proxy).catch((error: unknown) => {
      logger.warn('login of the proxy not read', { error });
      return null;
    });
    // Another request may have been faster.
    const found = logins.get(proxy) ?? kept;
    logins.set(proxy, found);
    return found;
  };
  const forget = async (proxy: string): Promise<void> => {
    logins.set(proxy, null);
    await secrets.delete(toEntry(proxy), 'proxyUserName');
    await secrets.delete(toEntry(proxy), 'proxyPassword');
  };

  return {
    async find({ proxy, realm, attempt }) {
      const known = await findKnown(proxy);
      // Asked again, it refuses what it was told before.
      if (attempt > 1 && known !== null) {
        await forget(proxy).catch((error: unknown) =>
          logger.warn('login of the proxy not forgotten', { error }),
        );
        setChallenge({ proxy, realm, wasRefused: true });
        return null;
      }
      if (known === null) {
        // What was refused stays so until the person enters something else.
        if (challenge?.proxy !== proxy) setChallenge({ proxy, realm, wasRefused: false });
        return null;
      }
      if (known.isTried && !known.isAccepted) return null;
      known.isTried = true;
      return { userName: known.userName, password: known.password };
    },
    note(proxy, outcome) {
      const known = logins.get(proxy);
      if (known === undefined || known === null) return;
      known.isTried = false;
      if (outcome === 'unknown') return;
      known.isAccepted = true;
      if (challenge?.proxy === proxy) setChallenge(null);
    },
    readChallenge: () => challenge,
    dropChallenge: () => setChallenge(null),
    async signIn({ proxy, userName, password }) {
      noteSecret(password);
      logins.set(proxy, { userName, password, isAccepted: false, isTried: false });
      await secrets.set(toEntry(proxy), 'proxyUserName', userName);
      // An empty password is one, which no keychain keeps.
      if (password !== '') await secrets.set(toEntry(proxy), 'proxyPassword', password);
      // Whether it is accepted, the next request shows; what was said of the one before no longer holds.
      if (challenge?.proxy === proxy) setChallenge(null);
    },
  };
}

/** No identifier of a connection begins so. */
function toEntry(proxy: string): string {
  return `proxy ${proxy}`;
}

/**
 * Has the host reach services as the settings say, now and whenever they change. `onChanged` is called once a changed
 * way is in use. Resolves once the first is; a way that can't be used is logged, and the host says what it does then.
 */
export async function followNetworkSettings(options: {
  readonly host: Pick<Host, 'useNetwork'>;
  readonly settings: Pick<SettingsStore, 'get'>;
  readonly events: Pick<Events, 'on'>;
  readonly logger: Logger;
  onChanged(): void;
}): Promise<void> {
  const { host, settings, events, logger, onChanged } = options;
  let inUse = '';
  const use = async (network: NetworkChoice): Promise<void> => {
    try {
      await host.useNetwork(network);
    } catch (error) {
      logger.warn('network settings not used', { proxy: network.proxy.mode, error });
    }
  };
  let last: Promise<void> = Promise.resolve();
  const follow = (isFirst: boolean): Promise<void> => {
    const network = toNetworkChoice(settings.get());
    const text = JSON.stringify(network);
    if (text === inUse) return last;
    inUse = text;
    last = last
      .then(() => use(network))
      .then(() => {
        if (!isFirst) onChanged();
      });
    return last;
  };
  events.on('settings/changed', () => void follow(false));
  await follow(true);
}
