import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { toErrorText } from './error-text.ts';

/** Names a file with the passphrase of the secrets file: what stands in an argument can be read by others. */
export const PASSPHRASE_FILE_VARIABLE = 'CHANNELSCOPE_PASSPHRASE_FILE';

/** What the program was started with: standard input, or another descriptor. */
const INHERITED = /^\/dev\/(?:stdin|fd\/(\d+))$/u;
const MAX_BYTES = 8 * 1024;
const READABLE_BY_OTHERS = 0o077;

/** The file that an option or the variable names; null where neither does. */
export function findPassphraseFile(
  option: string | null,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): string | null {
  const named = option ?? environment[PASSPHRASE_FILE_VARIABLE] ?? '';
  return named === '' ? null : resolve(folder, named);
}

/**
 * Reads a passphrase: the first line of a file, which may be a pipe such as `/dev/stdin` or `/dev/fd/3`. `tell` hears what
 * is unsafe about it. Throws an Error that says what is wrong.
 */
export async function readPassphraseFile(path: string, tell: (text: string) => void): Promise<string> {
  let text: string;
  try {
    const inherited = INHERITED.exec(path);
    text = inherited === null ? await readWhole(path, tell) : await readInherited(Number(inherited[1] ?? 0));
  } catch (error) {
    throw new Error(`The passphrase file can't be read: ${toErrorText(error)}`, { cause: error });
  }
  const [line = ''] = text.split(/\r?\n/u);
  if (line === '') throw new Error(`The passphrase file ${path} begins with an empty line.`);
  return line;
}

async function readWhole(path: string, tell: (text: string) => void): Promise<string> {
  const found = await stat(path);
  if (found.isFile() && found.size > MAX_BYTES) throw new Error('it is too large to be one line');
  if (found.isFile() && process.platform !== 'win32' && (found.mode & READABLE_BY_OTHERS) !== 0) {
    tell(`Other users of this computer can read the passphrase file ${path}: "chmod 600" closes it.`);
  }
  return readFile(path, 'utf8');
}

/** Its name can't be opened where it is a socket, which it is below many programs. */
async function readInherited(fd: number): Promise<string> {
  let text = '';
  for await (const part of createReadStream('', { fd, autoClose: false, encoding: 'utf8' })) {
    text += String(part);
    if (text.includes('\n') || text.length > MAX_BYTES) break;
  }
  return text;
}

/** The same where a start goes on without: `tell` hears why it can't be read, and the window asks. */
export async function tryToReadPassphrase(
  path: string | null,
  tell: (text: string) => void,
): Promise<string | null> {
  if (path === null) return null;
  try {
    return await readPassphraseFile(path, tell);
  } catch (error) {
    tell(toErrorText(error));
    return null;
  }
}

/** Asks for a passphrase at the terminal, without showing it. Resolves to null where nothing was entered. */
export function askPassphrase(
  { stdin: input, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
  question: string,
  signal?: AbortSignal,
): Promise<string | null> {
  stderr.write(question);
  const silent = new Writable({ write: (_part, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  return new Promise((settle) => {
    const end = (answer: string | null): void => {
      lines.close();
      stderr.write('\n');
      settle(answer === '' ? null : answer);
    };
    lines.once('line', end).once('SIGINT', () => {
      end(null);
      // Read here, Ctrl+C reaches nobody else.
      process.kill(process.pid, 'SIGINT');
    });
    input.once('end', () => end(null));
    signal?.addEventListener('abort', () => end(null), { once: true });
  });
}
