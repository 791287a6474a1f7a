import { join } from 'node:path';
import type { Core } from '../core/create-core.ts';
import type { Host } from '../core/host.ts';
import { prepareDataFolder, type HostPlatform } from '../core/profile/data-folder.ts';
import { createBrowserLanguages } from './browser-languages.ts';
import { createExportDownloads } from './export-downloads.ts';
import { createImportUploads } from './import-uploads.ts';
import { createWebHost } from './web-host.ts';
import { startWebServer, type WebServer } from './web-server.ts';

export interface WebApplicationOptions {
  readonly platform: HostPlatform;
  readonly version: string;
  readonly dataFolder: string;
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
  readonly workers: Host['workers'];
  readonly createCore: (host: Host) => Promise<Core>;
}

/** Starts the core, which claims the folder, and serves it. Whatever was started is stopped again when a later step fails. */
export async function startWebApplication(options: WebApplicationOptions): Promise<WebServer> {
  const { dataFolder, onLeftover = () => undefined, useNetwork = () => Promise.resolve() } = options;
  await prepareDataFolder(dataFolder);
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async (): Promise<void> => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  try {
    const downloads = createExportDownloads(join(dataFolder, 'exports'));
    const uploads = createImportUploads(join(dataFolder, 'uploads'), { report: onLeftover });
    const languages = createBrowserLanguages();
    const core = await options.createCore(
      createWebHost({ ...options, downloads, uploads, languages, useNetwork }),
    );
    stops.push(
      () => uploads.clear(),
      () => core.stop(),
    );
    // Files that a run which was cut short left there; no other process uses the folder once the core has claimed it.
    await uploads.clear();
    const server = await startWebServer({ ...options, core, downloads, uploads, languages });
    stops.push(() => server.stop());
    return { ...server, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}
