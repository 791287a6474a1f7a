import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Core } from '../core/create-core.ts';
import { claimDataFolder } from '../core/data-folder/claim-data-folder.ts';
import {
  type DataLocation,
  type HostPlatform,
  prepareDataFolder,
} from '../core/data-folder/locate-data-folder.ts';
import type { Host, WayBack } from '../core/host.ts';
import type { NodeNetwork } from '../node/node-network.ts';
import { createBrowserLanguages } from './session-guard.ts';
import { createExportDownloads, createImportUploads } from './transfers.ts';
import { createWebHost } from './web-host.ts';
import { startWebServer, type WebServer } from './web-server.ts';

export interface WebApplicationOptions {
  readonly platform: HostPlatform;
  readonly version: string;
  readonly location: DataLocation;
  readonly windowFolder: string;
  /** The icon in each size, as PNG. */
  readonly iconFolder: string;
  /** Address of a server that rebuilds the window as it is changed; null for the built one. */
  readonly developmentServer: string | null;
  readonly port: number;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  /** Gets the error of a file that should be gone and can't be removed. */
  readonly onLeftover?: (error: unknown) => void;
  /** Left out, services are reached as the process has it. */
  readonly useNetwork?: Host['useNetwork'];
  /** Left out, proxies are told what the variables that name them say. */
  readonly createFetch?: NodeNetwork['createFetch'];
  readonly workers: Host['workers'];
  /** Stops it in order and starts it anew; left out, only the person can. */
  readonly startAgain?: Host['startAgain'];
  readonly createCore: (host: Host) => Promise<Core>;
}

/** The application while it is served. */
export interface WebApplication extends WebServer {
  /** Resolves once the core is there; rejects with what kept it from being created. Until then, calls wait. */
  readonly whenReady: Promise<void>;
}

/**
 * Serves the application while its core is being created: a browser loads the window meanwhile. Rejects where the core
 * can't claim the folder. Whatever was started is stopped again when a later step fails.
 */
export async function startWebApplication(options: WebApplicationOptions): Promise<WebApplication> {
  const { location, onLeftover = () => undefined, useNetwork = () => Promise.resolve() } = options;
  const { startAgain = () => false } = options;
  const { folder: dataFolder } = location;
  await prepareDataFolder(dataFolder);
  const downloads = createExportDownloads(join(dataFolder, 'exports'));
  const uploads = createImportUploads(join(dataFolder, 'uploads'), { report: onLeftover });
  const languages = createBrowserLanguages();
  let server: WebServer | null = null;
  const comeBack = (): WayBack | null => {
    if (server === null) return null;
    const { url, isolatedUrl } = server.createLaunch();
    return { kind: 'address', url, isolatedUrl };
  };
  // Before all else: another application that has it must find its server's place as it was.
  const releaseFolder = claimDataFolder(dataFolder);
  const host = {
    ...createWebHost({ ...options, downloads, uploads, languages, useNetwork, startAgain, comeBack }),
    releaseFolder,
  };
  const { promise: served, resolve: noteServed, reject: noteFailed } = Promise.withResolvers<undefined>();
  // Loading it keeps everything else waiting: the page can be had first.
  const core = served.then(async () => {
    await nextTurn();
    const created = await options.createCore(host);
    // Files that a run which was cut short left there; no other process uses the folder once the core has claimed it.
    await uploads.clearLeftovers();
    return created;
  });
  core.catch(() => undefined);
  const stopCore = async (): Promise<void> => {
    const created = await core.catch(() => null);
    await created?.stop();
    await uploads.clear();
  };
  try {
    const started = await startWebServer({
      ...options,
      dataFolder,
      hasOwnFolder: location.chosenBy === 'start',
      core,
      downloads,
      uploads,
      languages,
    });
    server = started;
    noteServed(undefined);
    return {
      ...started,
      whenReady: core.then(() => undefined),
      stop: async () => {
        await started.stop();
        await stopCore();
      },
    };
  } catch (error) {
    noteFailed(error);
    releaseFolder();
    await stopCore();
    throw error;
  }
}
