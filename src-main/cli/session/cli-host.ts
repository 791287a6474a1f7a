import type { DataLocation } from '../../core/data-folder/locate-data-folder.ts';
import type { Host, ProxyLogins } from '../../core/host.ts';
import type { HostPlatform } from '../../core/data-folder/standard-folder.ts';
import { forkProcess } from '../../node/fork-process.ts';
import type { NodeNetwork } from '../../node/node-network.ts';
import { printWithBrowser } from '../../node/print-with-browser.ts';

/** What goes on by itself while a command runs. */
export type OwnWork = 'nothing' | 'following' | 'watching';

export interface CliHostOptions {
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
export function createCliHost(options: CliHostOptions): Host {
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
