import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { toErrorText } from '../node/error-text.ts';

/** Options of both commands that start the application. */
export interface StartOptions {
  readonly port: number;
  readonly opensBrowser: boolean;
  /** Null for the user's default folder. */
  readonly dataFolder: string | null;
  /** Without anything that goes on by itself. */
  readonly isSafe: boolean;
  /** File with the passphrase of the secrets file; null where none is named. */
  readonly passphraseFile: string | null;
  /** Where the report goes of a start that tests itself and ends; null for any other. */
  readonly selfTestFile: string | null;
  readonly help: boolean;
}

export const HELP = `npm start -- [options]           opens Channelscope on the desktop, or in the browser where that can't be
npm run start:web -- [options]   opens it in the browser of this computer, on 127.0.0.1 only

  --data FOLDER   folder for connections, settings and cached reports; on Windows its own
                  permissions decide who may read it
  --port NUMBER   in the browser: port to listen on; 0, the default, takes a free one
  --no-open       in the browser: only print the address, don't open a browser
  --safe          without following, alerts, downloads that wait and the built-in service: to find out
                  what is wrong
  --passphrase-file FILE
                  opens the encrypted file of secrets with the passphrase in FILE, such as /dev/stdin
  --self-test FILE
                  tests the application on itself, in a folder of its own, writes what works to FILE, and ends
  --help          show this

Entered again while it runs, either leads back to it; so does Enter in the terminal of the one in the browser.

In the browser, it prints one line of JSON to standard output once it is ready: {"url"}. The address works once, within
ten minutes.
`;

/** Reads the command line. Throws an Error whose message is shown for anything unknown. */
export function readStartOptions(args: readonly string[]): StartOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '0' },
      data: { type: 'string' },
      open: { type: 'boolean', default: true },
      safe: { type: 'boolean', default: false },
      'passphrase-file': { type: 'string' },
      'self-test': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
    allowNegative: true,
  });
  if (!/^\d{1,5}$/u.test(values.port) || Number(values.port) > 65_535) {
    throw new Error('--port must be a whole number from 0 to 65535.');
  }
  if (values['self-test'] === '') throw new Error('--self-test must name a file for its report.');
  if (values['passphrase-file'] === '') throw new Error('--passphrase-file must name a file.');
  if (values.data === '') throw new Error('--data must name a folder.');
  return {
    port: Number(values.port),
    opensBrowser: values.open,
    dataFolder: values.data ?? null,
    isSafe: values.safe,
    passphraseFile: values['passphrase-file'] ?? null,
    selfTestFile: values['self-test'] ?? null,
    help: values.help,
  };
}

/** The project's folder. */
export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a command of package.json: what it throws becomes one message and exit code 1. */
export function runGuarded(command: () => Promise<void>): void {
  command().catch((error: unknown) => {
    process.stderr.write(`${toErrorText(error)}\n`);
    process.exit(1);
  });
}

/** Writes a message to standard error: standard output is for the one line that programs read. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
