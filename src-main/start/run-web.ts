import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Output } from '../common/contract/index.ts';
import { SYSTEM_NETWORK } from '../common/model/settings/network.ts';
import type { SharedCore } from '../core/create-core.ts';
import {
  type DataLocation,
  describeMissingFolder,
  findStandardFolder,
  locateDataFolder,
  toHostPlatform,
} from '../core/data-folder/locate-data-folder.ts';
import { CALM_MS } from '../core/host.ts';
import type { Logger } from '../core/logging/logger.ts';
import { toErrorText } from '../node/error-text.ts';
import { describeReaders, tryToRemove } from '../node/files.ts';
import { createNodeNetwork } from '../node/node-network.ts';
import {
  askPassphrase,
  findPassphraseFile,
  readPassphraseFile,
  tryToReadPassphrase,
} from '../node/read-passphrase.ts';
import type { WorkerScripts } from '../node/worker-scripts.ts';
import { startWebApplication, testWeb, type WebApplication } from '../web/start-web-application.ts';
import type { Launch } from '../web/web-server.ts';
import { readKeptPlace, writeKeptPlace } from '../web/web-sessions.ts';
import { showInBrowser, UNOPENED_MS } from './come-back.ts';
import { say, type StartOptions } from './read-options.ts';

/**
 * Finds the data folder and, while the one that the person chose is missing, asks in the terminal what to do: look again,
 * or go on with the standard folder this time. Throws an Error that says what can be done when the person ends it, and
 * where there is no terminal to ask in.
 */
export async function askForMissingFolder(
  locate: () => DataLocation,
  { stdin: input, stderr: output }: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
): Promise<DataLocation> {
  for (;;) {
    const location = locate();
    const { missingFolder, defaultFolder } = location;
    if (missingFolder === null) return location;
    if (!input.isTTY || !output.isTTY) throw new Error(describeMissingFolder(location));
    output.write(`The data folder isn't there: ${missingFolder}\n`);
    output.write('Connect its disk and press Enter to look again.\n');
    output.write(`"standard" goes on with ${defaultFolder} this time; "quit" ends.\n`);
    const lines = createInterface({ input, output });
    const answer = (await lines.question('> ').finally(() => lines.close())).trim().toLowerCase();
    if (answer === 'standard') return location;
    if (answer === 'quit') throw new Error(describeMissingFolder(location));
  }
}

/** What can't end in order by then ends anyway. */
const MAX_STOP_MS = 10_000;

/** Logs what nobody caught, says so, and ends in order: after it nothing can be relied on. */
export function endOnErrors(
  program: Pick<NodeJS.Process, 'on' | 'exit'>,
  { findLogger, stop }: { findLogger: () => Logger | null; stop: () => Promise<void> },
): void {
  let isEnding = false;
  const exit = (): void => program.exit(1);
  const end = (error: unknown): void => {
    findLogger()?.error('uncaught', { error });
    if (isEnding) return;
    isEnding = true;
    say(`Channelscope ends, since something unexpected happened: ${toErrorText(error)}`);
    setTimeout(exit, MAX_STOP_MS).unref();
    stop().then(exit, exit);
  };
  program.on('uncaughtException', end);
  program.on('unhandledRejection', end);
}

/**
 * Calls `onEnter` whenever the person presses Enter in the terminal, as long as this process is in its foreground. False
 * where there is no terminal: a program in the background that reads from one is stopped by the system.
 */
export function listenForEnter(
  program: Pick<NodeJS.Process, 'stdin' | 'stderr' | 'on'>,
  onEnter: () => void,
  isInForeground: () => boolean = isForeground,
): boolean {
  const { stdin } = program;
  if (!stdin.isTTY || !program.stderr.isTTY || !isInForeground()) return false;
  stdin.on('data', onEnter);
  stdin.unref();
  if (process.platform !== 'win32') {
    // It comes with bg and fg of a shell.
    program.on('SIGCONT', () => {
      if (isInForeground()) stdin.resume();
      else stdin.pause();
    });
  }
  return true;
}

/** Whether the terminal belongs to the group of this process now. */
function isForeground(): boolean {
  if (process.platform === 'win32') return true;
  try {
    const words = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
    const [own, terminal] = execFileSync('ps', words, { encoding: 'utf8' }).trim().split(/\s+/u);
    return own !== undefined && own === terminal;
  } catch {
    return false;
  }
}

/** An answer is sent by then. */
const ANSWER_MS = 300;

/** A server that is started anew in this process, with the data folder that was chosen meanwhile. */
export interface Rerun {
  readonly first: Promise<WebApplication>;
  /** Returns at once; whoever asked is told before it ends. */
  startAgain(): boolean;
  /** A way in to the one that runs. */
  createLaunch(): Promise<Launch>;
  stop(): Promise<void>;
}

/**
 * Starts a server. When it is started again it is served at the place that open pages know, with their sessions.
 * `onFailure` gets what keeps it from starting again.
 */
export function runAgain(
  start: (location: DataLocation) => Promise<WebApplication>,
  location: DataLocation,
  locate: () => DataLocation,
  onFailure: (error: unknown) => void,
): Rerun {
  let used = location;
  let isBusy = false;
  let isStopping = false;
  const first = start(location);
  let running = first;
  const renew = async (): Promise<WebApplication> => {
    await (await running).stop();
    const before = used;
    used = locate();
    // A copy of the data folder has the sessions of the moment in which it began.
    if (used.folder !== before.folder) writeKeptPlace(used.folder, readKeptPlace(before.folder));
    const application = await start(used);
    await application.whenReady;
    return application;
  };
  return {
    first,
    startAgain() {
      if (isBusy) return true;
      isBusy = true;
      setTimeout(() => {
        if (isStopping) return;
        running = renew();
        running.then(
          () => {
            isBusy = false;
          },
          (error: unknown) => onFailure(error),
        );
      }, ANSWER_MS);
      return true;
    },
    createLaunch: async () => (await running).createLaunch(),
    async stop() {
      isStopping = true;
      await (await running).stop();
    },
  };
}

/** How long a start that fails waits, so that a browser can load the page that says why. */
const FAILURE_SHOWN_MS = 10_000;

/** Ends the process cleanly on the signals that a terminal and a service manager send. */
function stopOnSignals(stop: () => Promise<void>): void {
  let isStopping = false;
  const end = (): void => {
    if (isStopping) return;
    isStopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        say(`Channelscope did not stop cleanly: ${toErrorText(error)}`);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
}

/** What the application is made of where it runs. */
export interface WebParts {
  readonly workers: WorkerScripts;
  /** Address of a server that rebuilds the window as it is changed; null for the built one. */
  readonly developmentServer: string | null;
}

/** Says that the secrets file is locked, and asks for its passphrase in a terminal where no window does. */
async function askForPassphrase(
  core: SharedCore | null,
  given: string | null,
  { opensBrowser }: StartOptions,
): Promise<void> {
  const info = await core?.call('app/get-info', null);
  if (core === null || info?.ok !== true) return;
  const { keychain } = info.value as Output<'app/get-info'>;
  if (keychain.kind === 'keychain' || keychain.file !== 'locked') return;
  if (given !== null)
    say("The passphrase that was given isn't that of the secrets file, which stays locked.");
  const canAsk = process.stdin.isTTY && process.stderr.isTTY && !opensBrowser;
  if (!canAsk) {
    if (given === null)
      say('The secrets file is locked: the window asks for its passphrase, --passphrase-file gives it.');
    return;
  }
  for (;;) {
    const passphrase = await askPassphrase(
      process,
      'Passphrase of the secrets file (Enter goes on without): ',
    );
    // Enter in the terminal has another meaning again.
    process.stdin.resume().unref();
    if (passphrase === null) return;
    const answer = await core.call('secrets/unlock-file', { passphrase });
    if (answer.ok) return;
    say(answer.error.message);
    if (answer.error.code !== 'secrets.wrong-passphrase') return;
  }
}

/** Starts the application of the project in `root`, prints its address, and opens it. */
export async function runWeb(
  root: string,
  options: StartOptions,
  { workers, developmentServer }: WebParts,
): Promise<void> {
  const network = createNodeNetwork(process.env);
  if (!network.use(SYSTEM_NETWORK)) say("The proxy of HTTP_PROXY or HTTPS_PROXY can't be used.");
  const platform = toHostPlatform(process.platform);
  const standard = findStandardFolder(platform, homedir(), process.env);
  const selfTest = options.selfTestFile;
  // A self-test has a folder of its own: what is the person's is not touched.
  const chosen =
    selfTest === null ? options.dataFolder : await mkdtemp(join(tmpdir(), 'channelscope-self-test-'));
  const given = chosen === null ? null : resolve(chosen);
  const locate = (): DataLocation => locateDataFolder(standard, given);
  const location = await askForMissingFolder(locate, process);
  const readers = describeReaders(location.folder);
  if (readers !== null) say(readers);
  const passphraseFile = findPassphraseFile(options.passphraseFile, process.env, process.cwd());
  // A safe start, which finds out what is wrong, goes on without.
  const passphrase =
    passphraseFile === null || options.isSafe
      ? await tryToReadPassphrase(passphraseFile, say)
      : await readPassphraseFile(passphraseFile, say);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  let core: SharedCore | null = null;
  const rerun = runAgain(
    (found) =>
      startWebApplication({
        platform,
        version,
        location: found,
        windowFolder: join(root, 'out/renderer'),
        iconFolder: join(root, 'resources/icons/linux'),
        workers,
        developmentServer,
        port: options.port,
        now: Date.now,
        onError: (error) => say(`A request failed: ${toErrorText(error)}`),
        onLeftover: (error) =>
          say(`What was left of an import or export stays for now: ${toErrorText(error)}`),
        useNetwork: network.useNetwork,
        createFetch: network.createFetch,
        createCore: async (host, calm) => {
          const { createSharedCore } = await import('../core/create-core.ts');
          await calm;
          core = await createSharedCore(host, { isSafe: options.isSafe, passphrase, calmMs: CALM_MS });
          return core;
        },
        startAgain: () => rerun.startAgain(),
      }),
    location,
    locate,
    (error) => {
      say(`Channelscope did not start again: ${toErrorText(error)}`);
      process.exit(1);
    },
  );
  const server = await rerun.first;
  stopOnSignals(rerun.stop);
  endOnErrors(process, { findLogger: () => core?.logger ?? null, stop: rerun.stop });
  if (selfTest !== null) {
    await server.whenReady;
    const tested = core as SharedCore | null;
    if (tested === null) throw new Error('There is no application to test.');
    const isPassed = await testWeb({
      core: tested,
      server,
      version,
      file: resolve(selfTest),
      folder: location.folder,
    });
    await tryToRemove(location.folder, () => undefined, { isFolder: true });
    process.exit(isPassed ? 0 : 1);
  }
  let isAsking = true;
  const stopAsking = (): void => {
    isAsking = false;
  };
  void server.whenReady.then(() => askForPassphrase(core, passphrase, options)).then(stopAsking, stopAsking);
  const launch = server.createLaunch();
  process.stdout.write(`${JSON.stringify({ url: launch.url })}\n`);
  const open = async (way: Pick<Launch, 'url' | 'isolatedUrl'>): Promise<void> => {
    await showInBrowser(way, platform, location.folder);
  };
  const openAgain = async (): Promise<void> => {
    const way = await rerun.createLaunch();
    say(way.url);
    if (options.opensBrowser) await open(way);
  };
  const hasKey = listenForEnter(process, () => {
    if (isAsking) return;
    openAgain().catch((error: unknown) => say(`No new address could be made: ${toErrorText(error)}`));
  });
  if (!options.opensBrowser) return server.whenReady;
  const shown = server.whenReady.catch(async (error: unknown) => {
    // The page that is being opened says so too.
    await wait(FAILURE_SHOWN_MS);
    throw error;
  });
  await open(launch);
  await shown;
  say(
    hasKey
      ? 'Channelscope runs until this is closed. Enter opens it in the browser again; Ctrl+C ends it.'
      : 'Channelscope runs until this is closed; Ctrl+C ends it. "npm start" opens it in the browser again.',
  );
  await wait(UNOPENED_MS, undefined, { ref: false });
  if (!launch.isUsed()) say(`No page has asked for it yet. Open this address: ${launch.url}`);
}
