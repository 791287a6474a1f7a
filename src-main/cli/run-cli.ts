import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { AppError, toErrorInfo } from '../common/contract/errors.ts';
import {
  type DataLocation,
  describeMissingFolder,
  findStandardFolder,
  locateDataFolder,
  prepareDataFolder,
  toHostPlatform,
} from '../core/data-folder/locate-data-folder.ts';
import type { Host } from '../core/host.ts';
import type { OpenSecretStore } from '../core/secrets/create-keychain.ts';
import { connectControl } from '../node/control.ts';
import { findErrorCode, toErrorText } from '../node/error-text.ts';
import type { NodeNetwork } from '../node/node-network.ts';
import { askPassphrase, findPassphraseFile, readPassphraseFile } from '../node/read-passphrase.ts';
import { wait } from '../node/wait.ts';
import { COMMANDS } from './commands/all-commands.ts';
import { CommandError, EXIT, type ExitCode, toCommandError } from './exit-codes.ts';
import { createOutput, type Output, toTerminalText } from './output.ts';
import type { AloneOptions } from './session/open-alone.ts';
import { type Session, toSession } from './session/session.ts';
import {
  type Arguments,
  type Command,
  type CommandContext,
  COMMON_OPTIONS,
  readArguments,
  toUsageError,
  writeCommandHelp,
  writeHelp,
} from './words/command.ts';

const LOOK_AGAIN_MS = 200;

export interface SessionOptions extends AloneOptions {
  /** How long another program may hold the folder without serving it. */
  readonly waitMs: number;
  readonly note: (text: string) => void;
}

/**
 * Opens a data folder: through the application that has it open, or alone, with the same core. Throws a CommandError where
 * the folder can't be used, also when another program holds it and can't be reached for `waitMs`.
 */
async function openSession(options: SessionOptions): Promise<Session> {
  const { location, waitMs, signal, version, note } = options;
  const { folder: dataFolder } = location;
  await prepare(dataFolder);
  const startedAtMs = performance.now();
  for (;;) {
    if (signal.aborted) throw new CommandError(EXIT.cancelled, 'Cancelled.');
    const remote = await connectControl(dataFolder);
    if (remote !== null) {
      if (remote.version !== version) {
        note(`The open Channelscope has version ${remote.version}, this is ${version}.`);
      }
      const close = (): Promise<void> => {
        remote.close();
        return Promise.resolve();
      };
      return toSession({ ...remote, dataFolder, isAlone: false, giveSecrets: null, close });
    }
    // Whoever works through another program needs none of this one's core.
    const { tryToOpenAlone } = await import('./session/open-alone.ts');
    const alone = await tryToOpenAlone(options);
    if (alone !== null) return alone;
    if (performance.now() - startedAtMs >= waitMs) {
      throw toCommandError(toErrorInfo(new AppError('cache.locked', describeLock(dataFolder))));
    }
    await wait(LOOK_AGAIN_MS);
  }
}

function describeLock(folder: string): string {
  return `Another program holds the folder ${folder}, and commands can't work through it.`;
}

async function prepare(folder: string): Promise<void> {
  try {
    await prepareDataFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const code = findErrorCode(error);
    if (code === null) throw error;
    throw new CommandError(EXIT.disk, `The data folder can't be used: ${toErrorText(error)}`);
  }
}

const WAIT_S = 30;
/** Why a command ends once nobody reads its output any more. */
const UNREAD = 'unread';

/** What the program runs in. */
export interface CliSurroundings {
  /** What a person types before a command; left out, the script of package.json. */
  readonly program?: string;
  readonly version: string;
  readonly workers: Host['workers'];
  readonly useNetwork?: Host['useNetwork'];
  /** Left out, proxies are told what the variables that name them say. */
  readonly createFetch?: NodeNetwork['createFetch'];
  /** Left out, processes of plain Node. */
  readonly startProcess?: Host['startProcess'];
  /** Left out, a browser of this computer prints. */
  readonly printPdf?: Host['printPdf'];
  readonly process: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'stdin' | 'env' | 'platform' | 'cwd' | 'on'>;
  readonly now: () => number;
  /** Left out, the system's keychain. */
  readonly openSecretStore?: OpenSecretStore;
}

/** Runs one command line, and returns the exit code once everything that it opened is closed. Never rejects. */
export async function runCli(words: readonly string[], surroundings: CliSurroundings): Promise<ExitCode> {
  const { process, now } = surroundings;
  const controller = new AbortController();
  const out = createOutput({
    ...process,
    isJson: words.includes('--json'),
    showsProgress: process.stderr.isTTY || words.includes('--progress'),
    now,
    onClosed: () => {
      controller.abort(UNREAD);
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => controller.abort());
  }
  try {
    return await runCommand(words, surroundings, out, controller.signal);
  } catch (error) {
    // A reader such as `head` that has left got what it wanted.
    if (controller.signal.reason === UNREAD) return EXIT.done;
    const { exitCode, message, hint } = toEnd(error);
    out.note(hint === '' ? message : `${message} ${hint}`);
    return exitCode;
  }
}

function toEnd(error: unknown): Pick<CommandError, 'exitCode' | 'message' | 'hint'> {
  if (error instanceof CommandError) return error;
  return { exitCode: EXIT.unexpected, message: `Unexpected: ${toErrorText(error)}`, hint: '' };
}

async function runCommand(
  words: readonly string[],
  { program = 'npm run cli --', process, now, openSecretStore, ...own }: CliSurroundings,
  out: Output,
  signal: AbortSignal,
): Promise<ExitCode> {
  const found = findCommand(words);
  if (found === null) {
    await out.raw(writeHelp(program, COMMANDS, findGroup(words)));
    return EXIT.done;
  }
  const { command, rest } = found;
  if (rest.includes('--help')) {
    await out.raw(writeCommandHelp(program, command));
    return EXIT.done;
  }
  const args = readArguments(rest, [...command.options, ...COMMON_OPTIONS], command.maxOperands);
  const { env: environment } = process;
  // npm starts scripts in the folder of the project.
  const workFolder = environment['INIT_CWD'] ?? process.cwd();
  const platform = toHostPlatform(process.platform);
  const given = args.find('data') ?? environment['CHANNELSCOPE_DATA'] ?? '';
  const waitMs = (args.whole('wait', 0, 86_400) ?? WAIT_S) * 1_000;
  const locate = (): DataLocation => {
    const standard = findStandardFolder(platform, homedir(), environment);
    const location = locateDataFolder(standard, given === '' ? null : resolve(workFolder, given));
    if (location.missingFolder === null) return location;
    throw new CommandError(EXIT.disk, describeMissingFolder(location));
  };
  const readPassphrase = createPassphraseReader(args, environment, workFolder, out);
  const hasTerminal = process.stdin.isTTY && process.stderr.isTTY;
  let session: Promise<Session> | null = null;
  const context: CommandContext = {
    args,
    out,
    signal,
    environment,
    workFolder,
    now,
    confirm: hasTerminal ? (text) => ask(process, text, signal) : null,
    askSecret: hasTerminal ? (text) => askPassphrase(process, text, signal) : null,
    readPassphrase,
    open: (byItself = 'nothing') => {
      const openWith = (passphrase: string | null) =>
        openSession({
          platform,
          ...own,
          location: locate(),
          byItself,
          waitMs,
          signal,
          note: out.note,
          openSecretStore,
          passphrase,
        });
      session ??= readPassphrase().then(openWith);
      return session;
    },
  };
  try {
    return await command.run(context);
  } finally {
    out.endProgress();
    const opened = await (session as Promise<Session> | null)?.catch(() => null);
    if (opened?.isAlone === true) await noteDamage(opened, out);
    await opened?.close();
  }
}

/** Reads each file once: a pipe holds its line only once. */
function createPassphraseReader(
  args: Arguments,
  environment: CommandContext['environment'],
  workFolder: string,
  { note }: Output,
): CommandContext['readPassphrase'] {
  const known = new Map<string, Promise<string>>();
  return async (option = 'passphrase-file') => {
    const named = args.find(option);
    const variables = option === 'passphrase-file' ? environment : {};
    const path = findPassphraseFile(named, variables, workFolder);
    if (path === null) return null;
    const reading = known.get(path) ?? readPassphraseFile(path, note);
    known.set(path, reading);
    try {
      return await reading;
    } catch (error) {
      throw toUsageError(`${toErrorText(error)}.`, '');
    }
  };
}

/** Where a window has the folder open, that one says it. */
async function noteDamage(session: Session, { note }: Output): Promise<void> {
  const read = await session.tryCall('cache/read-state', null);
  const putAside = 'value' in read ? read.value.putAside : null;
  if (putAside === null) return;
  note(
    `The cache was damaged. What is whole was brought over. The damaged file is kept in ${putAside.folder}.`,
  );
}

/** The command that the first words name, and the words after them; null where help is asked for instead. */
function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } | null {
  const command = COMMANDS.find(({ name }) => name.split(' ').every((part, place) => words[place] === part));
  if (command !== undefined) return { command, rest: words.slice(command.name.split(' ').length) };
  const group = findGroup(words);
  const wrong = words[group === '' ? 0 : 1];
  if (wrong === undefined || wrong === '--help' || wrong === 'help') return null;
  const typed = group === '' ? wrong : `${group} ${wrong}`;
  throw toUsageError(`There is no command "${typed}".`, '--help lists them.');
}

function findGroup([first = '']: readonly string[]): string {
  return COMMANDS.some(({ name }) => name.startsWith(`${first} `)) ? first : '';
}

async function ask(
  { stdin: input, stderr: output }: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
  question: string,
  signal: AbortSignal,
): Promise<boolean> {
  const lines = createInterface({ input, output });
  try {
    return /^y(?:es)?$/i.test(
      (await lines.question(`${toTerminalText(question)} [y/N] `, { signal })).trim(),
    );
  } catch {
    return false;
  } finally {
    lines.close();
  }
}
