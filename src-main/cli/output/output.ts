import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { toTable, type Cell } from './table.ts';
import { toJsonLine, toTerminalText } from './terminal-text.ts';

/** Where a command writes. */
export interface Output {
  /** `--json`: standard output is one object a line. */
  readonly isJson: boolean;
  /** One object, with `--json` only. */
  json(value: object): Promise<void>;
  /** A table, or lines of text, without `--json` only. */
  table(names: readonly string[], rows: readonly (readonly Cell[])[]): Promise<void>;
  text(line: string): Promise<void>;
  /** As it is: for scripts and help. */
  raw(text: string): Promise<void>;
  /** A remark on standard error. */
  note(text: string): void;
  /** How far the work is, on standard error, where somebody watches. */
  progress(text: string): void;
  /** Removes what progress left on the line. */
  endProgress(): void;
}

/** Remarks of progress in a log follow each other at this distance at least. */
const LOGGED_EVERY_MS = 5_000;

/** Writes to the streams of a process. `onClosed` is told when nobody reads standard output any more. */
export function createOutput(options: {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly isJson: boolean;
  readonly showsProgress: boolean;
  readonly now: () => number;
  readonly onClosed: () => void;
}): Output {
  const { stdout, stderr, isJson, showsProgress, now } = options;
  let isClosed = false;
  let shownLength = 0;
  let loggedAtMs = -Infinity;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    options.onClosed();
  };
  stdout.on('error', close);
  stderr.on('error', () => undefined);
  const raw = async (text: string): Promise<void> => {
    if (isClosed || stdout.destroyed) return;
    if (stdout.write(text)) return;
    const controller = new AbortController();
    const { signal } = controller;
    const settled = [once(stdout, 'drain', { signal }), once(stdout, 'close', { signal })];
    await Promise.race(settled.map((each) => each.catch(() => undefined)));
    controller.abort();
  };
  const endProgress = (): void => {
    if (shownLength === 0) return;
    stderr.write(`\r${' '.repeat(shownLength)}\r`);
    shownLength = 0;
  };
  return {
    isJson,
    json: (value) => (isJson ? raw(`${toJsonLine(value)}\n`) : Promise.resolve()),
    table: (names, rows) => (isJson ? Promise.resolve() : raw(`${toTable(names, rows).join('\n')}\n`)),
    text: (line) => (isJson ? Promise.resolve() : raw(`${toTerminalText(line)}\n`)),
    raw,
    note: (text) => {
      endProgress();
      stderr.write(`${toTerminalText(text)}\n`);
    },
    progress: (text) => {
      if (!showsProgress) return;
      const line = toTerminalText(text);
      if (stderr.isTTY === true) {
        stderr.write(`\r${line.padEnd(shownLength)}`);
        shownLength = line.length;
      } else if (now() - loggedAtMs >= LOGGED_EVERY_MS) {
        loggedAtMs = now();
        stderr.write(`${line}\n`);
      }
    },
    endProgress,
  };
}
