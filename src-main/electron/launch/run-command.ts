import { app } from 'electron';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOnSecondSignal, flushOutput } from '../../cli/output.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { runCli, type CliSurroundings } from '../../cli/run-cli.ts';
import { SYSTEM_NETWORK } from '../../common/model/settings/network.ts';
import type { Host } from '../../core/host.ts';
import { printWithBrowser } from '../../node/print-with-browser.ts';
import { tryToRemoveSync } from '../../node/files.ts';
import { createNodeNetwork } from '../../node/node-network.ts';
import type { WorkerScripts } from '../../node/worker-scripts.ts';
import { denyPermissions } from '../security/guards.ts';
import { explainRefusedSwitch } from '../security/refused-switches.ts';
import { startUtilityProcess } from '../utility-process.ts';
import { printDocument } from '../window.ts';

/** What a person types before a command: the packages bring a script of that name. */
const PROGRAM = 'channelscope-cli';
const PLACE_PREFIX = 'channelscope-cli-';

/**
 * Runs a command in the packaged program, without a window, an icon or a claim to be the only one: it may run beside the
 * window, through which it works then. Ends the process with the command's exit code once its output is sent.
 */
export async function runCommand(
  words: readonly string[],
  options: {
    readonly process: NodeJS.Process;
    readonly workers: WorkerScripts;
    readonly openSecretStore?: CliSurroundings['openSecretStore'];
  },
): Promise<void> {
  const { process, workers, openSecretStore } = options;
  const refusal = explainRefusedSwitch((name) => app.commandLine.hasSwitch(name));
  if (refusal !== null) {
    process.stderr.write(`${refusal}\n`);
    app.exit(EXIT.usage);
    return;
  }
  app.enableSandbox();
  // Chromium's own files: a window that is open has those of the data folder.
  const place = mkdtempSync(join(tmpdir(), PLACE_PREFIX));
  app.setPath('userData', place);
  app.setPath('sessionData', place);
  app.dock?.hide();
  app.on('session-created', denyPermissions);
  // A report is printed in a window that nobody sees; closing it ends nothing.
  app.on('window-all-closed', () => undefined);
  await app.whenReady();

  const network = createNodeNetwork(process.env);
  if (!network.use(SYSTEM_NETWORK)) {
    process.stderr.write("The proxy of HTTP_PROXY or HTTPS_PROXY can't be used.\n");
  }
  endOnSecondSignal(process);
  const exitCode = await runCli(words, {
    program: PROGRAM,
    version: app.getVersion(),
    process: cancelWithSystem(process),
    now: Date.now,
    useNetwork: network.useNetwork,
    createFetch: network.createFetch,
    workers,
    startProcess: startUtilityProcess,
    printPdf: choosePrinter(),
    ...(openSecretStore === undefined ? {} : { openSecretStore }),
  });
  await flushOutput(process);
  // Chromium may hold some of it until the process is gone; what stays is empty.
  tryToRemoveSync(place, { isFolder: true, maxWaitMs: 0 });
  app.exit(exitCode);
}

/** Chromium prints in a window of its own only where there is a screen; elsewhere a browser of the computer does it. */
export function choosePrinter(): Host['printPdf'] {
  const hasNoScreen = app.commandLine.getSwitchValue('ozone-platform') === 'headless';
  const print = hasNoScreen ? printWithBrowser : printDocument;
  return (source, target, signal) => print(source, target, signal);
}

/** The process, to whose signals those are added by which the system ends its applications. */
function cancelWithSystem(process: NodeJS.Process): CliSurroundings['process'] {
  const { stdout, stderr, stdin, env, platform } = process;
  return {
    stdout,
    stderr,
    stdin,
    env,
    platform,
    cwd: () => process.cwd(),
    on: ((signal: NodeJS.Signals, listener: () => void) => {
      process.on(signal, listener);
      if (signal !== 'SIGTERM') return;
      app.on('before-quit', (event) => {
        event.preventDefault();
        listener();
      });
    }) as NodeJS.Process['on'],
  };
}
