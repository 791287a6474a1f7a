import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import type { Keychain as KeychainState } from '../../common/contract/operations/app.ts';
import { isTimeZone } from '../../common/time/civil-time.ts';
import { mayBeReadByOthers } from '../../node/files.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Parts } from '../create-parts.ts';
import type { Host } from '../host.ts';
import type { Monitor } from '../monitor/create-monitor.ts';
import type { ProxyLoginStore } from '../proxy/proxy.ts';
import type { Keychain } from '../secrets/create-keychain.ts';
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
interface SecretUsers {
  readonly connections: Pick<Parts['connections'], 'lookForSecrets'>;
  readonly following: Pick<Parts['following'], 'list' | 'wake'>;
}

/** Lets everything that lacked secrets look for them again, after they may have come to another place. */
async function useFoundSecrets({ connections, following }: SecretUsers): Promise<void> {
  await connections.lookForSecrets();
  for (const { connectionId, failure } of following.list()) {
    if (failure?.code.startsWith('secrets.') === true) following.wake(connectionId);
  }
}

/** The handlers of `cache/…`. */
export function createCacheHandlers(parts: {
  readonly cache: Pick<Cache, 'readState' | 'retry'>;
  /** `purge` deletes removed snapshots for good and returns the bytes that were freed. */
  readonly housekeeping: { purge(): Promise<number> };
}): HandlersOf<'cache'> {
  const { cache, housekeeping } = parts;
  return {
    'cache/read-state': () => cache.readState(),
    'cache/retry': () => cache.retry(),
    'cache/reclaim': async () => ({ freedBytes: await housekeeping.purge() }),
  };
}

/** The handlers of `analysis/…`: what is computed from cached records, with the network gone too. */
export function createAnalysisHandlers({ engine }: { readonly engine: Engine }): HandlersOf<'analysis'> {
  return {
    'analysis/group-records': (question) => engine.groupRecords(question),
    'analysis/read-series': (question) => {
      const { edges } = question;
      if (edges.some((edge, place) => edge <= (edges[place - 1] ?? -Infinity)))
        throw new AppError('app.invalid-input', 'The edges of a series must rise.', {});
      return engine.readSeries(question);
    },
    'analysis/read-heat-map': (question) => {
      const { zone } = question;
      if (!isTimeZone(zone)) throw new AppError('app.invalid-input', 'There is no such time zone.', { zone });
      return engine.readHeatMap(question);
    },
    'analysis/read-distribution': (question) => engine.readDistribution(question),
    'analysis/explain': (question) => engine.explain(question),
  };
}
