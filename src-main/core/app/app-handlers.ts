import type { HandlersOf } from '../../common/contract/index.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { mayBeReadByOthers } from '../../node/files.ts';
import type { Host } from '../host.ts';
import type { Monitor } from '../monitor/create-monitor.ts';
import type { ProxyLoginStore } from '../proxy/proxy.ts';
import type { Keychain } from '../secrets/create-keychain.ts';
import { type SecretUsers, useFoundSecrets } from '../secrets/secrets-handlers.ts';
import type { SettingsStore } from '../settings/create-settings.ts';

/** The handlers of `app/…`. */
export function createAppHandlers(
  parts: SecretUsers & {
    readonly host: Host;
    readonly keychain: Pick<Keychain, 'read' | 'retry'>;
    readonly connections: Pick<ConnectionStore, 'lookForSecrets' | 'renewClients'>;
    readonly proxyLogins: Pick<ProxyLoginStore, 'readChallenge' | 'signIn'>;
    readonly settings: Pick<SettingsStore, 'get'>;
    readonly monitor: Pick<Monitor, 'check'>;
    readonly isSafe: boolean;
    now(): number;
  },
): HandlersOf<'app'> {
  const { host, keychain, connections, proxyLogins, settings, monitor, isSafe, now } = parts;
  return {
    'app/get-info': () => ({
      version: host.version,
      platform: host.platform,
      host: host.kind,
      dataFolder: host.dataFolder,
      mayBeReadByOthers: mayBeReadByOthers(host.dataFolder),
      keychain: keychain.read(),
      systemLanguages: [...host.listLanguages()],
      nowMs: now(),
      isSafe,
    }),
    'app/open-window': ({ place }) => ({ isOpened: host.openWindow(place) }),
    'app/come-back': () => host.comeBack(),
    'app/start-normally': () => ({ isStarting: host.startNormally() }),
    'app/retry-keychain': async () => {
      const state = await keychain.retry();
      await useFoundSecrets(parts);
      return state;
    },
    'app/reveal-data-folder': async () => ({ isShown: await host.revealFolder(host.dataFolder) }),
    'app/read-proxy-challenge': () => proxyLogins.readChallenge(),
    'app/sign-in-to-proxy': async (login) => {
      await proxyLogins.signIn(login);
      // Calls that were resting after failures may have failed at the proxy only: they are tried again at once.
      connections.renewClients();
      const { lastConnectionId } = settings.get();
      // Its outcome is a sample of the status, as at every other check.
      if (lastConnectionId !== null) await monitor.check(lastConnectionId).catch(() => undefined);
      return null;
    },
  };
}
