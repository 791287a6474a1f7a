import type { Command } from './command.ts';
import { COMMON_OPTIONS, type OptionSpec } from './option.ts';

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
