import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandLine, Delivery } from '../../common/model/alerts/destination.ts';
import { toVisible } from '../../common/words/visible-text.ts';
import { rejectOnAbort } from '../calls/calls.ts';
import { mapNetworkError } from '../client/map-network-error.ts';
import { parseRetryAfterMs } from '../client/reporting-client.ts';

/** From the start to the last byte that is read of the answer. */
const MAX_POST_MS = 15_000;
/** What is read of an answer; the connection is closed over the rest. */
const MAX_ANSWER_BYTES = 4096;
/** Longest answer that is kept. */
export const MAX_ANSWER_CHARACTERS = 200;
const RETRIED_STATUSES = new Set([408, 425, 429]);

/** What became of one try. */
export interface PostResult {
  readonly outcome: 'sent' | 'retry' | 'failed';
  /** Short, and without secrets. */
  readonly answer: string;
  /** How long the receiver asks to be left alone. */
  readonly retryAfterMs: number | null;
}

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  readonly cleanText: (text: string) => string;
  now(): number;
}

/** Sends a message once. A redirect is not followed. Rejects only when aborted. */
export async function postMessage(fetch: typeof globalThis.fetch, post: Post): Promise<PostResult> {
  const { url, headers, body, cleanText } = post;
  const controller = new AbortController();
  const signal = AbortSignal.any([
    post.signal,
    controller.signal,
    AbortSignal.timeout(post.limitMs ?? MAX_POST_MS),
  ]);
  try {
    const response = await rejectOnAbort(
      fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        credentials: 'omit',
        cache: 'no-store',
        signal,
      }),
      signal,
    );
    const { status } = response;
    // Once the status is there, an answer that breaks off changes nothing.
    const text = await rejectOnAbort(readStart(response), signal).catch(() => '');
    const words = toVisible(cleanText(text).replace(/\s+/gu, ' ').trim());
    const answer = `${status} ${words}`.trim().slice(0, MAX_ANSWER_CHARACTERS);
    const retryAfterMs = parseRetryAfterMs(response.headers.get('retry-after'), post.now());
    if (response.ok) return { outcome: 'sent', answer, retryAfterMs: null };
    const isRetried = status >= 500 || RETRIED_STATUSES.has(status);
    return { outcome: isRetried ? 'retry' : 'failed', answer, retryAfterMs };
  } catch (error) {
    if (post.signal.aborted) throw error;
    const { code } = mapNetworkError(signal.aborted ? signal.reason : error);
    return {
      outcome: code === 'client.redirected' ? 'failed' : 'retry',
      answer: code,
      retryAfterMs: null,
    };
  } finally {
    controller.abort();
  }
}

/** The first bytes of a body, decoded. */
async function readStart(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  while (reader !== undefined && size < MAX_ANSWER_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    const part = value.subarray(0, MAX_ANSWER_BYTES - size);
    size += part.byteLength;
    text += decoder.decode(part, { stream: true });
  }
  void reader?.cancel().catch(() => undefined);
  return text;
}

/** From the start of the program to its end. */
const LIMIT_MS = 30_000;
const MAX_OUTPUT_BYTES = 4096;
/** Windows takes 32,767 characters for all variables together. */
const MAX_VARIABLE_CHARACTERS = 2000;

interface CommandRun {
  readonly command: CommandLine;
  readonly delivery: Pick<Delivery, 'id' | 'alerts'>;
  readonly text: string;
  /** What it reads from standard input. */
  readonly body: string;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  readonly cleanText: (text: string) => string;
}

/**
 * Runs a command once with a message. Its arguments are those that a person typed, to the letter: everybody on this
 * computer can read them, so nothing of the message is in them. Anything but exit code 0 is tried again. Rejects only
 * when aborted.
 */
export async function runCommand(run: CommandRun): Promise<PostResult> {
  const { command, delivery, text, body, signal, cleanText } = run;
  const { how, output } = await runProgram({
    ...command,
    variables: {
      CHANNELSCOPE_DELIVERY: delivery.id,
      CHANNELSCOPE_ALERTS: String(delivery.alerts.length),
      // No variable holds a NUL.
      CHANNELSCOPE_TEXT: text.replaceAll('\0', '').slice(0, MAX_VARIABLE_CHARACTERS),
    },
    input: `${body}\n`,
    limitMs: run.limitMs ?? LIMIT_MS,
    maxBytes: MAX_OUTPUT_BYTES,
    signal,
  });
  const words = toVisible(cleanText(output).replace(/\s+/gu, ' ').trim());
  const answer = `${describeEnd(how)} ${words}`.trim().slice(0, MAX_ANSWER_CHARACTERS);
  const isSent = typeof how === 'object' && 'code' in how && how.code === 0;
  return { outcome: isSent ? 'sent' : 'retry', answer, retryAfterMs: null };
}

function describeEnd(how: ProgramEnd['how']): string {
  if (how === 'too-long') return 'client.timeout';
  if ('code' in how) return `exit ${how.code}`;
  return 'signal' in how ? how.signal : how.fault;
}

/** What is kept beside the secrets of a destination, so that no file can bring a command that nobody typed here. */
export function toCommandMark({ program, args }: CommandLine): string {
  return hash('sha256', JSON.stringify([program, ...args]));
}

/** A program that is run once. It is started itself, never a shell. */
interface ProgramRun {
  /** Absolute. */
  readonly program: string;
  readonly args: readonly string[];
  /** Beside what it gets of this process's own; see `PASSED_ON`. */
  readonly variables: Readonly<Record<string, string>>;
  /** What it reads from standard input. */
  readonly input: string;
  readonly limitMs: number;
  /** What is kept of standard output and standard error together; the rest is read and dropped. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** How a program ended. */
interface ProgramEnd {
  readonly how:
    | { readonly code: number }
    | { readonly signal: string }
    /** It took too long and was ended. */
    | 'too-long'
    /** It could not be started: the system's code. */
    | { readonly fault: string };
  readonly output: string;
}

/** What a program needs to find its files and the person's desktop; anything else of the environment may be a secret. */
const PASSED_ON = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP', 'USERNAME', 'USERDOMAIN'],
  ...['USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'ProgramData', 'ProgramFiles'],
];
/** What a program that ended wrote is still read for so long; what it started may hold its output open. */
const REST_MS = 500;

/** Runs a program to its end, with all that it started where it takes too long. Rejects only when aborted. */
async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  run.signal.throwIfAborted();
  const child = start(run);
  if ('fault' in child) return { how: child, output: '' };
  const read = readOutput(child, run.maxBytes);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const limit = AbortSignal.timeout(run.limitMs);
  const ending = AbortSignal.any([run.signal, limit]);
  const kill = (): void => killAll(child);
  ending.addEventListener('abort', kill, { once: true });
  try {
    const how = await new Promise<ProgramEnd['how']>((resolve) => {
      child.on('error', (error: NodeJS.ErrnoException) => resolve({ fault: error.code ?? 'UNKNOWN' }));
      child.on('exit', (code, signal) => resolve(code === null ? { signal: signal ?? '' } : { code }));
      child.stdin?.on('error', () => undefined).end(run.input);
    });
    run.signal.throwIfAborted();
    await Promise.race([closed, delay(REST_MS, undefined, { ref: false })]);
    const isTooLong = limit.aborted && typeof how === 'object' && 'signal' in how;
    return { how: isTooLong ? 'too-long' : how, output: read() };
  } finally {
    ending.removeEventListener('abort', kill);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

function start({ program, args, variables }: ProgramRun): ChildProcess | { readonly fault: string } {
  const own = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  try {
    return spawn(program, [...args], {
      cwd: homedir(),
      env: { ...Object.fromEntries(own), ...variables },
      shell: false,
      stdio: 'pipe',
      windowsHide: true,
      // A group of its own: what it starts is ended with it.
      detached: process.platform !== 'win32',
    });
  } catch (error) {
    return { fault: (error as NodeJS.ErrnoException).code ?? 'UNKNOWN' };
  }
}

/** Reads what a program writes; what is returned tells how it begins. */
function readOutput({ stdout, stderr }: ChildProcess, maxBytes: number): () => string {
  const pieces: Buffer[] = [];
  let size = 0;
  for (const stream of [stdout, stderr]) {
    stream
      ?.on('error', () => undefined)
      .on('data', (piece: Buffer) => {
        if (size >= maxBytes) return;
        pieces.push(piece.subarray(0, maxBytes - size));
        size += piece.length;
      });
  }
  return () => new TextDecoder().decode(Buffer.concat(pieces));
}

function killAll(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32')
    execFile('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true }, () => child.kill());
  else
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
}
