import { once } from 'node:events';
import type { Writable } from 'node:stream';

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

/** What steers a terminal or changes the order of characters. Line ends and tabs count: a cell is one line. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const HARMFUL_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;

/** Returns text that a terminal shows and never obeys: control characters become pictures or their numbers. */
export function toTerminalText(text: string): string {
  return text.toWellFormed().replace(STEERING, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
    if (code === DELETE) return '␡';
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** Returns a value as one line of JSON, in which the same characters are escaped: it reads back as the same value. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    HARMFUL_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

type Cell = string | number | boolean | null;

/** Wider cells are cut: `--json` has all of them. */
const MAX_CELL = 60;
/** Characters that take two columns: East Asian scripts and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;
const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });

interface Shown {
  readonly text: string;
  readonly width: number;
}

function show(cell: Cell): Shown {
  if (cell === null) return { text: '', width: 0 };
  const whole = typeof cell === 'string' ? toTerminalText(cell.slice(0, MAX_CELL * 8)) : String(cell);
  let text = '';
  let width = 0;
  for (const { segment } of segments.segment(whole)) {
    const wide = WIDE.test(segment) ? 2 : 1;
    if (width + wide > MAX_CELL) return { text: `${text}…`, width: width + 1 };
    text += segment;
    width += wide;
  }
  return { text, width };
}

/** Returns a table for people, one line for each row: numbers to the right, columns as wide as what they hold. */
export function toTable(names: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const head = names.map((name) => show(name));
  const shown = rows.map((row) => names.map((_name, column) => show(row[column] ?? null)));
  const widths = head.map(({ width }, column) =>
    shown.reduce((widest, row) => Math.max(widest, row[column]?.width ?? 0), width),
  );
  const isNumber = names.map(
    (_name, column) =>
      rows.length > 0 && rows.every((row) => row[column] === null || typeof row[column] === 'number'),
  );
  return [head, ...shown].map((row) =>
    row
      .map(({ text, width }, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - width);
        return isNumber[column] === true ? space + text : text + space;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Resolves once everything that was written to both streams is sent, or can't be any more. */
export async function flushOutput({
  stdout,
  stderr,
}: Pick<NodeJS.Process, 'stdout' | 'stderr'>): Promise<void> {
  await Promise.all(
    [stdout, stderr].map(
      (stream) =>
        new Promise((resolve) => {
          if (stream.destroyed || !stream.writable) resolve(undefined);
          else stream.write('', resolve);
        }),
    ),
  );
}

/** Returns a count with its noun, which has an s in the plural: `1 record`, `4,051 records`. */
export function countWords(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

const SAME_SIGNAL_MS = 1_000;
const CANCELLED = 7;

/**
 * Ends the process at once at a second Ctrl+C: it doesn't wait for an end in order. npm passes each one on, so the same
 * one may come twice.
 */
export function endOnSecondSignal(process: Pick<NodeJS.Process, 'on' | 'exit'>): void {
  let firstAtMs: number | null = null;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      firstAtMs ??= performance.now();
      if (performance.now() - firstAtMs > SAME_SIGNAL_MS) process.exit(CANCELLED);
    });
  }
}
