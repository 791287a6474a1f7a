import { join } from 'node:path';
import type { Core } from '../core/create-core.ts';
import { claimDataFolder } from '../core/data-folder/claim-data-folder.ts';
import {
  type DataLocation,
  type HostPlatform,
  prepareDataFolder,
} from '../core/data-folder/locate-data-folder.ts';
import type { Host, ProxyLogins, WayBack } from '../core/host.ts';
import {
  describeReport,
  listCoreSteps,
  NotHere,
  runStep,
  type SelfTestStep,
  type StepRun,
  type TestedCore,
  writeReport,
} from '../core/self-test/run-self-test.ts';
import { serveWindow } from '../core/window/serve-window.ts';
import { forkProcess } from '../node/fork-process.ts';
import type { NodeNetwork } from '../node/node-network.ts';
import { printWithBrowser } from '../node/print-with-browser.ts';
import { openInBrowser } from './launch-file.ts';
import {
  createExportDownloads,
  createImportUploads,
  type ExportDownloads,
  type ImportUploads,
} from './transfers.ts';
import { startWebServer, type WebServer } from './web-server.ts';
import { type BrowserLanguages, createBrowserLanguages } from './web-sessions.ts';

const notHere = (why: string): StepRun => {
  return () => {
    throw new NotHere(why);
  };
};

/** Enters by an address as a browser does, and asks for something over the session. */
async function askOverSession(server: WebServer): Promise<string> {
  const { url } = server.createLaunch();
  const { origin } = new URL(url);
  const entered = await fetch(url, { redirect: 'manual' });
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const token = (entered.headers.get('location') ?? '').replace('/#session=', '');
  const answer = await fetch(`${origin}/api/call/app/get-info`, {
    method: 'POST',
    headers: { origin, cookie, 'content-type': 'application/json', 'x-channelscope-session': token },
    body: 'null',
  });
  const { ok, value } = (await answer.json()) as { ok: boolean; value?: { version: string } };
  if (!ok) throw new Error(`The call was answered with ${answer.status}.`);
  return `a page is told version ${value?.version ?? ''}`;
}

/** Tests the application in the browser on itself, writes the report, and stops it. Returns whether nothing failed. */
export async function testWeb(parts: {
  readonly core: TestedCore;
  readonly server: WebServer;
  readonly version: string;
  readonly file: string;
  /** For what is exported meanwhile. */
  readonly folder: string;
}): Promise<boolean> {
  const { core, server, version, file, folder } = parts;
  const startedAtMs = Date.now();
  const steps: SelfTestStep[] = [];
  const readPage = async (): Promise<string> => {
    const page = await fetch(`http://127.0.0.1:${server.port}/`);
    if (!page.ok || page.headers.get('content-security-policy') === null) {
      throw new Error(`The page was answered with ${page.status}.`);
    }
    return 'served, with its policy';
  };
  const all: readonly (readonly [string, StepRun])[] = [
    ['window', notHere('A browser has the window.')],
    ['page', readPage],
    ['preload', () => askOverSession(server)],
    ['notification', notHere('The page of a browser shows them.')],
    ['tray', notHere('A browser has none.')],
    ...listCoreSteps(core, { folder, now: Date.now }),
    [
      'quit',
      async () => {
        await server.stop();
        return 'in order';
      },
    ],
  ];
  for (const [name, run] of all) steps.push(await runStep(name, run));
  const report = await writeReport(file, { version, host: 'web' }, steps, startedAtMs);
  process.stderr.write(`${describeReport(report)}\n`);
  return report.isPassed;
}

/** The host of plain Node, with a browser for a window. */
function createWebHost(options: {
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

interface WebApplicationOptions {
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
  /** `calm` resolves when what keeps the computer busy may begin. */
  readonly createCore: (host: Host, calm: Promise<unknown>) => Promise<Core>;
}

/** Until a page asks; the browser of a person takes longer to start than that, and finds the core there. */
const NO_PAGE_MS = 250;
/** A page asks for its files one right after the other. */
const FILES_GAP_MS = 40;
/** A page that has its files asks for something else by then. */
const PICTURE_MS = 1_500;

/** The steps by which the page that a start opens gets the computer to itself. */
interface Calm {
  /** Resolves once no file is asked for: loading the core keeps whoever asks waiting. */
  readonly files: Promise<undefined>;
  /** Resolves once the first picture is there, or nobody draws one: creating the core keeps each processor busy. */
  readonly picture: Promise<undefined>;
  begin(): void;
  noteAnswer(): void;
  end(): void;
}

function createCalm(): Calm {
  const files = Promise.withResolvers<undefined>();
  const picture = Promise.withResolvers<undefined>();
  let isOver = false;
  let gap: ReturnType<typeof setTimeout> | undefined;
  let limit: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    isOver = true;
    clearTimeout(gap);
    clearTimeout(limit);
    files.resolve(undefined);
    picture.resolve(undefined);
  };
  let isAsked = false;
  return {
    files: files.promise,
    picture: picture.promise,
    begin: () => {
      limit = setTimeout(end, NO_PAGE_MS);
    },
    noteAnswer: () => {
      if (isOver) return;
      clearTimeout(gap);
      gap = setTimeout(() => files.resolve(undefined), FILES_GAP_MS);
      // Once: whoever asks again and again must not keep the core from coming.
      if (isAsked) return;
      isAsked = true;
      clearTimeout(limit);
      limit = setTimeout(end, PICTURE_MS);
    },
    end,
  };
}

/** The application while it is served. */
export interface WebApplication extends WebServer {
  /** Resolves once the core is there; rejects with what kept it from being created. Until then, calls wait. */
  readonly whenReady: Promise<void>;
}

/**
 * Serves the application, then creates its core: a browser loads the window meanwhile. Rejects where the folder can't be
 * claimed. Whatever was started is stopped again when a later step fails.
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
  const calm = createCalm();
  const core = served.then(async () => {
    calm.begin();
    await calm.files;
    const created = await options.createCore(host, calm.picture);
    // Files that a run which was cut short left there; no other process uses a claimed folder.
    await uploads.clearLeftovers();
    return created;
  });
  core.catch(() => undefined);
  const stopCore = async (): Promise<void> => {
    const created = await core.catch(() => null);
    await created?.stop();
    await uploads.clear();
  };
  const call = serveWindow(core, host, { now: options.now, onWait: calm.end });
  try {
    const started = await startWebServer({
      ...options,
      dataFolder,
      hasOwnFolder: location.chosenBy === 'start',
      core,
      call,
      onAnswered: calm.noteAnswer,
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
