import { app } from 'electron';
import { mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { START_FILE_VARIABLE } from '../common/start-message.ts';
import { createSharedCore } from '../core/create-core.ts';
import { CALM_MS } from '../core/host.ts';
import {
  findStandardFolder,
  locateDataFolder,
  toHostPlatform,
} from '../core/data-folder/locate-data-folder.ts';
import { toErrorText } from '../node/error-text.ts';
import { findPassphraseFile, tryToReadPassphrase } from '../node/read-passphrase.ts';
import { findBuiltWorkers } from '../node/worker-scripts.ts';
import { findCommandWords, findGivenFolder } from './launch/start-arguments.ts';
import { reportStart } from './report-start.ts';
import { findSelfTestFile } from './self-test.ts';
import { hasTray } from './tray/keep-in-tray.ts';
import { reportStartFailure, runDesktop } from './run-desktop.ts';

const platform = toHostPlatform(process.platform);
const built = import.meta.dirname;

const start = { words: process.argv, folder: process.cwd() };
const workers = findBuiltWorkers(built, 'engine-utility');
const developmentServer = process.env['ELECTRON_RENDERER_URL'] ?? '';

const selfTest = findSelfTestFile(start.words);

// A self-test has a folder of its own: what is the person's is not touched.
const findLocation = () =>
  locateDataFolder(
    findStandardFolder(platform, homedir(), process.env),
    selfTest === null
      ? findGivenFolder(start.words, start.folder, process.env)
      : mkdtempSync(join(tmpdir(), 'channelscope-self-test-')),
  );

function openApplication(): void {
  // Without a callback, a command that has ended meanwhile would be an error that nobody caught.
  const report = reportStart(
    (message) => process.send?.(message, undefined, {}, () => undefined),
    process.env[START_FILE_VARIABLE],
  );
  const run = async (): Promise<void> =>
    runDesktop({
      platform,
      location: findLocation(),
      windowFolder: join(built, '..', 'renderer'),
      developmentServer: developmentServer === '' ? null : developmentServer,
      preload: join(built, '..', 'preload', 'index.cjs'),
      workers,
      createCore: async (host) =>
        createSharedCore(host, {
          isSafe: start.words.includes('--safe'),
          calmMs: CALM_MS,
          passphrase: await tryToReadPassphrase(
            findPassphraseFile(null, process.env, start.folder),
            (text) => void process.stderr.write(`${text}\n`),
          ),
        }),
      resourcesFolder: process.resourcesPath,
      start,
      errors: process,
      report,
      hasTray,
      selfTestFile: selfTest === null ? null : resolve(start.folder, selfTest),
    });
  void run().catch((error: unknown) => reportStartFailure(error, report));
}

async function runCommandLine(words: readonly string[]): Promise<void> {
  // A window needs none of it.
  const { runCommand } = await import('./launch/run-command.ts');
  await runCommand(words, { process, workers });
}

const command = findCommandWords(process.argv, app.isPackaged);
if (command === null) openApplication();
else {
  runCommandLine(command).catch((error: unknown) => {
    process.stderr.write(`${toErrorText(error)}\n`);
    app.exit(1);
  });
}
