import { resolve } from 'node:path';
import { buildWhereNeeded, runBuiltWeb } from './build-application.ts';
import { comeBack } from './come-back.ts';
import { type Explanation, findElectron, installElectron, runElectron } from './run-electron.ts';
import { say, type StartOptions } from './read-options.ts';
import { PASSPHRASE_FILE_VARIABLE } from '../node/read-passphrase.ts';

const FIRST_BYTE_MS = 8_000;
const DOWNLOAD_SILENCE_MS = 30_000;
/** Until the window is there, the application reports every second that its start goes on. */
const SILENCE_MS = 20_000;
/** Virus scanners read a program of 200 MB, at its first start anywhere and at each one under Windows and macOS. */
const SCANNED_SILENCE_MS = 60_000;
/** So long without a word, the person is told what is waited for. */
const NOTICE_MS = 6_000;
const PROGRESS_EVERY_MS = 5_000;

/** Says how much of the runtime has come: on one line of a terminal, else as a line now and then. */
function createProgress(): (bytes: number) => void {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  return (bytes) => {
    const text = `Fetching Electron's runtime … ${Math.round(bytes / 1_000_000)} MB`;
    if (process.stderr.isTTY) {
      process.stderr.write(`\r${text} `);
    } else if (performance.now() - saidAtMs > PROGRESS_EVERY_MS) {
      saidAtMs = performance.now();
      say(text);
    }
  };
}

/** Electron's program, downloaded where it is missing, or why there is none. */
export async function provideElectron(
  root: string,
): Promise<{ program: string; isNew: boolean } | (Explanation & { program: null })> {
  const present = findElectron(root);
  if (present !== null) return { program: present, isNew: false };
  say("Fetching Electron's runtime …");
  const failure = await installElectron(root, {
    onProgress: createProgress(),
    firstByteMs: FIRST_BYTE_MS,
    silenceMs: DOWNLOAD_SILENCE_MS,
  });
  if (process.stderr.isTTY) say('');
  const program = findElectron(root);
  if (program !== null) return { program, isNew: true };
  return {
    program: null,
    reason: `Electron's runtime can't be had: ${failure ?? 'unknown reason'}.`,
    remedy:
      'Where a proxy is needed, set HTTPS_PROXY; ELECTRON_MIRROR names another server. "npm start" tries again.',
  };
}

/** Opens the application on the desktop or, where that can't be, in the browser, with the reason and the remedy. */
export async function startApplication(root: string, options: StartOptions): Promise<void> {
  const own = process.env['CHANNELSCOPE_DATA'] ?? '';
  const inBrowser = { ...options, dataFolder: options.dataFolder ?? (own === '' ? null : own) };
  if (options.selfTestFile === null && (await comeBack(inBrowser))) return;
  const failure = await runDesktop(root, options);
  if (failure === null) return;
  say(failure.reason);
  say(failure.remedy);
  say('Channelscope opens in the browser instead.');
  await runBuiltWeb(root, inBrowser);
}

/** Resolves once the desktop application is over, to null, or to why it can't be used. */
async function runDesktop(root: string, options: StartOptions): Promise<Explanation | null> {
  const found = await provideElectron(root);
  if (found.program === null) return found;
  await buildWhereNeeded(root);
  const silenceMs = found.isNew || process.platform !== 'linux' ? SCANNED_SILENCE_MS : SILENCE_MS;
  const end = await runElectron(found.program, root, {
    words: [
      ...(options.isSafe ? ['--safe'] : []),
      ...(options.selfTestFile === null ? [] : [`--self-test=${resolve(options.selfTestFile)}`]),
    ],
    silenceMs,
    noticeMs: NOTICE_MS,
    onNotice: () =>
      say(
        `Electron has said nothing yet, and is waited for up to ${silenceMs / 1000} s: a virus scanner may be reading it.`,
      ),
    environment: {
      ...process.env,
      ...(options.dataFolder === null ? {} : { CHANNELSCOPE_DATA: resolve(options.dataFolder) }),
      ...(options.passphraseFile === null
        ? {}
        : { [PASSPHRASE_FILE_VARIABLE]: resolve(options.passphraseFile) }),
    },
  });
  if (!end.isOver) return end;
  if (end.words !== null) say(end.words);
  process.exitCode = end.exitCode;
  return null;
}
