import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { readStartMessage } from '../common/start-message.ts';
import { describeEnd, explainFailure, type Explanation } from './explain-failure.ts';

/** How the desktop application ended: as an application does, or before anybody saw its window. */
export type DesktopEnd =
  | { readonly isOver: true; readonly exitCode: number; readonly words: string | null }
  | ({ readonly isOver: false } & Explanation);

/** How much of standard error is kept, to find the reason in. */
const MAX_OUTPUT_CHARACTERS = 16 * 1024;
const MAX_LAST_WORDS_MS = 500;

/**
 * Runs the desktop application until it ends. One that says nothing for `silenceMs` before its window is there is
 * ended, so that the same folder can be opened in the browser.
 */
export function runElectron(
  program: string,
  root: string,
  {
    silenceMs,
    environment,
    words = [],
  }: { silenceMs: number; environment: NodeJS.ProcessEnv; words?: readonly string[] },
): Promise<DesktopEnd> {
  const variables = { ...environment };
  delete variables['ELECTRON_RUN_AS_NODE'];
  const child = spawn(program, [root, ...words], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
    env: variables,
  });
  let errorOutput = '';
  let stage: 'silent' | 'alive' | 'shown' | 'explained' = 'silent';
  let silentMs: number | null = null;
  let isInterrupted = false;
  child.stderr?.on('data', (bytes: Buffer) => {
    process.stderr.write(bytes);
    errorOutput = (errorOutput + bytes.toString('utf8')).slice(-MAX_OUTPUT_CHARACTERS);
  });
  // Where our own code never ran there is nothing to end in order.
  const endSilent = (): void => {
    silentMs = silenceMs;
    child.kill('SIGKILL');
  };
  let timer = setTimeout(endSilent, silenceMs);
  child.on('message', (message) => {
    const said = readStartMessage(message);
    if (said === null || silentMs !== null) return;
    stage = said;
    clearTimeout(timer);
    if (said === 'alive') timer = setTimeout(endSilent, silenceMs);
    else if (child.connected) child.disconnect();
  });
  // Ctrl+C reaches the application by itself, which then stops in order; what ends only this process is passed on.
  const wait = (): void => {
    isInterrupted = true;
  };
  const pass = (signal: NodeJS.Signals): void => {
    isInterrupted = true;
    child.kill(signal);
  };
  process.on('SIGINT', wait).on('SIGTERM', pass).on('SIGHUP', pass);
  return new Promise((resolve) => {
    const end = (startError: string | null, code: number | null, signal: NodeJS.Signals | null): void => {
      clearTimeout(timer);
      process.off('SIGINT', wait).off('SIGTERM', pass).off('SIGHUP', pass);
      const isDeliberate = stage === 'shown' || stage === 'explained' || (stage === 'alive' && code === 0);
      if (isDeliberate || isInterrupted) {
        const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
        const isCrash = stage === 'shown' && signal !== null && !isInterrupted;
        const words = isCrash ? `Channelscope ended unexpectedly (${describeEnd({ code, signal })}).` : null;
        resolve({ isOver: true, exitCode, words });
        return;
      }
      const { platform } = process;
      const isRoot = process.getuid?.() === 0;
      resolve({
        isOver: false,
        ...explainFailure({ platform, isRoot, program, startError, code, signal, silentMs, errorOutput }),
      });
    };
    child.once('error', (error) => end(error.message, null, null));
    child.once('exit', (code, signal) => {
      // A process that it left behind may hold standard error open for good.
      const last = setTimeout(() => end(null, code, signal), MAX_LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(last);
        end(null, code, signal);
      });
    });
  });
}
