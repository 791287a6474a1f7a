import { dirname, join } from 'node:path';

/** How a runtime ended before its window was there. */
export interface RuntimeEnd {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly program: string;
  /** What the system said where it couldn't be started at all. */
  readonly startError: string | null;
  readonly code: number | null;
  readonly signal: string | null;
  /** For how long it was silent, where it was ended for that; in milliseconds. */
  readonly silentMs: number | null;
  /** The end of what it wrote to standard error. */
  readonly errorOutput: string;
}

export interface Explanation {
  readonly reason: string;
  readonly remedy: string;
}

/** What dies of a trap or an abort under Linux with nothing said is nearly always refused its sandbox. */
const TRAPS = new Set(['SIGTRAP', 'SIGILL', 'SIGABRT']);
const MISSING_LIBRARY = /error while loading shared libraries: ([^\s:]+)/u;
const TRY_AGAIN = '"npm start" tries the desktop window again.';

/** Says in one sentence each why the desktop window didn't open, and what a person can do about it. */
export function explainFailure(end: RuntimeEnd): Explanation {
  const { errorOutput, platform } = end;
  const isLinux = platform === 'linux';
  const isTrap = TRAPS.has(end.signal ?? '');
  if (isLinux && (/Running as root without/u.test(errorOutput) || (end.isRoot && isTrap))) {
    return {
      reason: `Electron doesn't run as root (it ended with ${describeEnd(end)}).`,
      remedy: 'Start Channelscope as an ordinary user.',
    };
  }
  if (
    /Missing X server|cannot open display|Unable to open X display|Failed to connect to Wayland/iu.test(
      errorOutput,
    )
  ) {
    return {
      reason: 'Electron found no display.',
      remedy: 'Start Channelscope in a desktop session, or keep using it in the browser.',
    };
  }
  const library = MISSING_LIBRARY.exec(errorOutput)?.[1];
  if (library !== undefined || (isLinux && end.code === 127)) {
    return {
      reason: `Electron lacks a library of the system: ${library ?? 'it ended with exit code 127'}.`,
      remedy: `Install the package that has it; ldd "${end.program}" lists all that are missing.`,
    };
  }
  if (isLinux && (isTrap || /sandbox|namespace/iu.test(errorOutput))) {
    const helper = join(dirname(end.program), 'chrome-sandbox');
    return {
      reason: `The system denied Electron its sandbox, as far as can be seen (it ended with ${describeEnd(end)}).`,
      remedy: `Give its helper the rights it needs: sudo chown root "${helper}" && sudo chmod 4755 "${helper}"`,
    };
  }
  if (end.startError !== null) {
    return {
      reason: `Electron can't be started: ${end.startError}.`,
      remedy: `Remove the folder node_modules/electron/dist: the next "npm start" downloads it anew.`,
    };
  }
  if (end.silentMs !== null) {
    return { reason: `Electron opened no window within ${end.silentMs / 1000} s.`, remedy: TRY_AGAIN };
  }
  const words = errorOutput
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '');
  const said = words === undefined ? '' : ` Its last words: ${words.slice(0, 300)}`;
  return {
    reason: `Electron ended before its window was open (${describeEnd(end)}).${said}`,
    remedy: TRY_AGAIN,
  };
}

/** The end in a few words: a signal or an exit code. */
export function describeEnd({ code, signal }: Pick<RuntimeEnd, 'code' | 'signal'>): string {
  return signal ?? `exit code ${String(code)}`;
}
