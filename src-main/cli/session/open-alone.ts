import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { ConnectionSecrets } from '../../common/model/connections/connection.ts';
import { createSharedCore } from '../../core/create-core.ts';
import type { DataLocation, HostPlatform } from '../../core/data-folder/locate-data-folder.ts';
import type { Host, ProxyLogins } from '../../core/host.ts';
import type { OpenSecretStore } from '../../core/secrets/create-keychain.ts';
import type { SecretStore } from '../../core/secrets/secret-store.ts';
import { forkProcess } from '../../node/fork-process.ts';
import type { NodeNetwork } from '../../node/node-network.ts';
import { printWithBrowser } from '../../node/print-with-browser.ts';
import { toCommandError } from '../exit-codes.ts';
import { toSession, type Session } from './session.ts';

export interface AloneOptions extends CliHostOptions {
  readonly byItself: OwnWork;
  readonly signal: AbortSignal;
  /** Left out, the system's keychain. */
  readonly openSecretStore?: OpenSecretStore | undefined;
  /** Of the secrets file, where it was given. */
  readonly passphrase: string | null;
}

/** Opens the core of a data folder in this process. Null while another program holds the folder; throws a CommandError. */
export async function tryToOpenAlone(options: AloneOptions): Promise<Session | null> {
  const { location, byItself, signal, passphrase, openSecretStore } = options;
  const given = createGivenSecrets();
  try {
    const core = await createSharedCore(createCliHost(options), {
      byItself,
      overSecrets: given.over,
      passphrase,
      ...(openSecretStore === undefined ? {} : { openSecretStore }),
    });
    return toSession({
      dataFolder: location.folder,
      isAlone: true,
      on: core.on,
      giveSecrets: given.give,
      call: (name, input, files) => core.withFiles(files, () => core.call(name, input)),
      close: async () => {
        // Others that work through this one would be cut off.
        if (!signal.aborted) await core.drain();
        await core.stop();
      },
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'cache.locked') return null;
    throw toCommandError(toErrorInfo(error));
  }
}

/** Secrets of environment variables, which go before those that are kept, and are never kept themselves. */
interface GivenSecrets {
  /** Lays what is given over what is kept, for as long as the process runs. */
  over(store: SecretStore): SecretStore;
  give(connectionId: string, secrets: Required<ConnectionSecrets>): void;
}

/** Begins without any. */
function createGivenSecrets(): GivenSecrets {
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

/** What goes on by itself while a command runs. */
export type OwnWork = 'nothing' | 'following' | 'watching';

interface CliHostOptions {
  readonly platform: HostPlatform;
  readonly version: string;
  readonly location: DataLocation;
  readonly workers: Host['workers'];
  /** Left out, services are reached as the process has it. */
  readonly useNetwork?: Host['useNetwork'] | undefined;
  /** Left out, proxies are told what the variables that name them say. */
  readonly createFetch?: NodeNetwork['createFetch'] | undefined;
  /** Left out, processes of plain Node. */
  readonly startProcess?: Host['startProcess'] | undefined;
  /** The terminal says what alerts say; else nobody would see it. */
  readonly byItself?: OwnWork;
  /** Left out, a browser of this computer prints. */
  readonly printPdf?: Host['printPdf'] | undefined;
}

/** A host without a window: it shows nothing, and asks nobody for a file. */
function createCliHost(options: CliHostOptions): Host {
  const { platform, version, location, workers, useNetwork = () => Promise.resolve() } = options;
  let logins: ProxyLogins | null = null;
  const send = options.createFetch?.(() => logins) ?? globalThis.fetch;
  const fetch: Host['fetch'] = (input, init) =>
    send(input, { ...init, redirect: 'manual', credentials: 'omit' });
  return {
    kind: 'cli',
    platform,
    version,
    dataFolder: location.folder,
    location,
    workers,
    // Scripts read what it writes, whatever the system speaks.
    listLanguages: () => ['en'],
    fetch,
    fetchFor: () => fetch,
    useProxyLogins: (given) => {
      logins = given;
    },
    useNetwork,
    startProcess: options.startProcess ?? forkProcess,
    chooseExportTarget: () => Promise.resolve(null),
    printPdf: options.printPdf ?? ((source, target, signal) => printWithBrowser(source, target, signal)),
    chooseFolder: () => Promise.resolve(null),
    revealExport: () => Promise.resolve(null),
    revealFolder: () => Promise.resolve(false),
    copyText: () => Promise.resolve(false),
    showNote: () => (options.byItself === 'watching' ? 'computer' : 'failed'),
    showBadge: () => undefined,
    chooseImportFile: () => Promise.resolve(null),
    takeOpenedFile: () => Promise.resolve(null),
    openWindow: () => false,
    comeBack: () => null,
    startNormally: () => false,
    startAgain: () => false,
    updates: 'no-package',
  };
}
