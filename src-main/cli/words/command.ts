import { parseArgs } from 'node:util';
import { toErrorText } from '../../node/error-text.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { OwnWork } from '../session/open-alone.ts';
import type { Session } from '../session/session.ts';

/** What a command works with. */
export interface CommandContext {
  readonly args: Arguments;
  readonly out: Output;
  /** Aborted by Ctrl+C, by SIGTERM, and once nobody reads the output. */
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths begin at. */
  readonly workFolder: string;
  /** Asks the person at the terminal; null where there is none. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
  /** Asks for what must not be shown, and resolves to null where nothing was entered; null without a terminal. */
  readonly askSecret: ((question: string) => Promise<string | null>) | null;
  /** The passphrase of the file that was named for it, or of another option's file; null where none was. */
  readPassphrase(option?: string): Promise<string | null>;
  now(): number;
  /** Opens the data folder once, alone or through the application that has it open. */
  open(byItself?: OwnWork): Promise<Session>;
}

export interface Command {
  /** As it is typed: `fetch`, `connection add`. */
  readonly name: string;
  readonly summary: string;
  /** What comes after the name, such as `NAME`; empty for nothing. */
  readonly operands: string;
  /** The operands themselves, where they are few. */
  readonly choices?: readonly string[];
  readonly maxOperands: number;
  readonly options: readonly OptionSpec[];
  /** More about it, for its help. */
  readonly about?: string;
  run(context: CommandContext): Promise<ExitCode>;
}

/** An option as it is read, explained and completed. */
export interface OptionSpec {
  readonly name: string;
  /** What stands for its value in the help; null for a switch. */
  readonly value: string | null;
  readonly summary: string;
  /** The values that it takes, where they are few. */
  readonly choices?: readonly string[];
  /** It may be given several times, each with a value of its own. */
  readonly isRepeatable?: boolean;
  /** It takes a path: completed by the shell. */
  readonly isPath?: boolean;
}

/** Options that every command has. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: 'data', value: 'DIR', summary: "the data folder (default: the user's)", isPath: true },
  {
    name: 'passphrase-file',
    value: 'FILE',
    summary: 'file with the passphrase of the secrets file, such as /dev/stdin',
    isPath: true,
  },
  { name: 'json', value: null, summary: 'write exactly one JSON object a line to standard output' },
  {
    name: 'progress',
    value: null,
    summary: 'write progress to standard error, even without a terminal',
  },
  {
    name: 'wait',
    value: 'SECONDS',
    summary: 'wait this long for another command to release the folder (30)',
  },
  { name: 'help', value: null, summary: 'show this help' },
];

const COLUMN = 30;

const EXIT_CODES = `Exit codes: 0 done, 1 unexpected, 2 usage, 3 credentials refused, 4 service unreachable, 5 incomplete,
6 not found, 7 cancelled, 8 disk or target, 9 an alert fires.`;

function toLine(words: string, summary: string): string {
  return words.length + 3 > COLUMN
    ? `  ${words}\n${' '.repeat(COLUMN)}${summary}`
    : `  ${words.padEnd(COLUMN - 2)}${summary}`;
}

function toOptionLine({ name, value, summary, choices }: OptionSpec): string {
  const words = value === null ? `--${name}` : `--${name} ${value}`;
  return toLine(words, choices === undefined ? summary : `${summary}: ${choices.join(', ')}`);
}

/** The help of the whole program, or of a group of commands such as `connection`; `program` is what is typed before them. */
export function writeHelp(program: string, commands: readonly Command[], group = ''): string {
  const listed = commands.filter(({ name }) => group === '' || name.startsWith(`${group} `));
  return [
    `${program} ${group === '' ? 'COMMAND' : `${group} COMMAND`} [options]`,
    '',
    ...listed.map(({ name, operands, summary }) => toLine(`${name} ${operands}`.trim(), summary)),
    '',
    'Every command has:',
    ...COMMON_OPTIONS.map(toOptionLine),
    '',
    `A command and --help says more about it. While Channelscope is open with the same data folder, commands work through
it. ${EXIT_CODES}`,
    '',
  ].join('\n');
}

/** The help of one command. */
export function writeCommandHelp(
  program: string,
  { name, operands, summary, options, about }: Command,
): string {
  return [
    `${program} ${`${name} ${operands}`.trim()} [options]`,
    '',
    `${summary[0]?.toUpperCase() ?? ''}${summary.slice(1)}.`,
    '',
    ...[...options, ...COMMON_OPTIONS].map(toOptionLine),
    ...(about === undefined ? [] : ['', about]),
    '',
    EXIT_CODES,
    '',
  ].join('\n');
}

/** The options and operands of one call. Each reader throws a CommandError for what can't be used. */
export interface Arguments {
  readonly operands: readonly string[];
  has(name: string): boolean;
  find(name: string): string | null;
  require(name: string): string;
  /** The values of an option that may be given several times, in their order; none where it isn't given. */
  all(name: string): string[];
  /** One of the values of the option. */
  choose<Value extends string>(name: string, values: readonly Value[]): Value;
  whole(name: string, min: number, max: number): number | null;
}

/** An error in how a command was called; it ends with the exit code for that. */
export function toUsageError(message: string, hint = 'See --help.'): CommandError {
  return new CommandError(EXIT.usage, message, hint);
}

/** Reads the words after a command's name. Throws a CommandError for anything that the command doesn't know. */
export function readArguments(
  words: readonly string[],
  options: readonly OptionSpec[],
  maxOperands: number,
): Arguments {
  const known = Object.fromEntries(
    options.map(({ name, value, isRepeatable = false }) => [
      name,
      { type: value === null ? 'boolean' : 'string', multiple: isRepeatable } as const,
    ]),
  );
  const { values, positionals } = tryParse(words, known);
  if (positionals.length > maxOperands) {
    throw toUsageError(`"${positionals[maxOperands] ?? ''}" is one word too many.`);
  }
  const readAll = (name: string): string[] => {
    const list = [values[name] ?? []].flat().filter((value) => typeof value === 'string');
    if (list.includes('')) throw toUsageError(`--${name} needs a value.`);
    return list;
  };
  const find = (name: string): string | null => readAll(name)[0] ?? null;
  const requireValue = (name: string): string => {
    const value = find(name);
    if (value === null) throw toUsageError(`--${name} is missing.`);
    return value;
  };
  return {
    operands: positionals,
    has: (name) => values[name] === true,
    find,
    require: requireValue,
    all: readAll,
    choose: (name, allowed) => {
      const value = requireValue(name);
      const found = allowed.find((each) => each === value);
      if (found === undefined)
        throw toUsageError(`--${name} is one of ${allowed.join(', ')}; not "${value}".`);
      return found;
    },
    whole: (name, min, max) => {
      const text = find(name);
      if (text === null) return null;
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      if (value >= min && value <= max) return value;
      throw toUsageError(`--${name} is a whole number from ${min} to ${max}; not "${text}".`);
    },
  };
}

function tryParse(
  words: readonly string[],
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly multiple: boolean }>>,
): {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
} {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...words],
      options,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    const seen = new Set<string>();
    for (const token of tokens) {
      if (token.kind !== 'option') continue;
      if (seen.has(token.name) && options[token.name]?.multiple !== true)
        throw new Error(`--${token.name} is given twice.`);
      seen.add(token.name);
    }
    return { values, positionals };
  } catch (error) {
    // Only the first sentence: the rest of Node's message gives advice that doesn't apply here.
    const [first = ''] = toErrorText(error).split(/\.\s|\n/);
    throw toUsageError(first.replace(/\.?$/, '.'));
  }
}
