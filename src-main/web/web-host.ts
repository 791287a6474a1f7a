import { join } from 'node:path';
import type { Host, ProxyLogins } from '../core/host.ts';
import type { DataLocation, HostPlatform } from '../core/data-folder/locate-data-folder.ts';
import { forkProcess } from '../node/fork-process.ts';
import type { NodeNetwork } from '../node/node-network.ts';
import { printWithBrowser } from '../node/print-with-browser.ts';
import type { BrowserLanguages } from './session-guard.ts';
import type { ExportDownloads, ImportUploads } from './transfers.ts';
import { openInBrowser } from './open-in-browser.ts';

/** The host of plain Node, with a browser for a window. */
export function createWebHost(options: {
  platform: HostPlatform;
  version: string;
  location: DataLocation;
  downloads: ExportDownloads;
  uploads: ImportUploads;
  languages: Pick<BrowserLanguages, 'list'>;
  useNetwork: Host['useNetwork'];
  /** Left out, proxies are told what the variables that name them say. */
  createFetch?: NodeNetwork['createFetch'] | undefined;
  startAgain: Host['startAgain'];
  comeBack: Host['comeBack'];
  workers: Host['workers'];
}): Host {
  const { platform, version, location, downloads, uploads, languages, useNetwork, workers } = options;
  let logins: ProxyLogins | null = null;
  const send = options.createFetch?.(() => logins) ?? globalThis.fetch;
  const fetch: Host['fetch'] = (input, init) =>
    send(input, { ...init, redirect: 'manual', credentials: 'omit' });
  return {
    kind: 'web',
    platform,
    version,
    dataFolder: location.folder,
    location,
    listLanguages: languages.list,
    fetch,
    // Node opens as many connections to a host as there are calls.
    fetchFor: () => fetch,
    useProxyLogins: (given) => {
      logins = given;
    },
    useNetwork,
    workers,
    startProcess: forkProcess,
    chooseExportTarget: (suggestedName) => Promise.resolve(downloads.chooseTarget(suggestedName)),
    printPdf: (source, target, signal) => printWithBrowser(source, target, signal),
    // A page can't choose a folder of the computer; one of the profile is there for good, other than downloads.
    chooseFolder: (suggestedName, purpose) => Promise.resolve(join(location.folder, purpose, suggestedName)),
    revealExport: (path) => Promise.resolve(downloads.offer(path)),
    // The browser is on this computer too, so its file manager can show the folder.
    revealFolder: (path) => openInBrowser(platform, path),
    copyText: () => Promise.resolve(false),
    // Only the page knows whether it may; its title shows the number.
    showNote: () => 'page',
    showBadge: () => undefined,
    chooseImportFile: (uploadId) => Promise.resolve(uploadId === null ? null : uploads.take(uploadId)),
    // Systems open files with the desktop application only.
    takeOpenedFile: () => Promise.resolve(null),
    // A browser opens tabs by itself, and whoever started this process starts it again.
    openWindow: () => false,
    comeBack: options.comeBack,
    startNormally: () => false,
    startAgain: options.startAgain,
    // What runs here was fetched and built by hand.
    updates: 'no-package',
  };
}
