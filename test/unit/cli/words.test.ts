import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { countWords, toJsonLine, toTable, toTerminalText } from '../../../src-main/cli/output.ts';
import { COMMANDS, SHELLS, writeCompletion } from '../../../src-main/cli/commands/all-commands.ts';
import { CommandError, EXIT, toCommandError, toExitCode } from '../../../src-main/cli/exit-codes.ts';
import {
  readArguments,
  COMMON_OPTIONS,
  writeCommandHelp,
  writeHelp,
} from '../../../src-main/cli/words/command.ts';
import { AppError, ERROR_CODES, toErrorInfo } from '../../../src-main/common/contract/errors.ts';

/** Sets the title, clears the screen, in one byte too, turns text around, and ends the line. */
const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u2069\r\nnext\u007f\u0000';

describe('text of records in a terminal', () => {
  it('steers nothing', () => {
    const shown = toTerminalText(HOSTILE);
    expect(shown).not.toMatch(/\p{Cc}|\p{Bidi_Control}|\p{Zl}|\p{Zp}/u);
    expect(shown).toContain('␛]0;owned␇');
    expect(shown).toContain('<U+009B>31m<U+202E>evil');
  });

  it('steers nothing in a line of JSON either, and reads back as it was', () => {
    const line = toJsonLine({ text: HOSTILE });
    expect(line).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
    expect(JSON.parse(line)).toEqual({ text: HOSTILE });
  });

  it('leaves the columns of a table where they are', () => {
    const lines = toTable(
      ['name', 'count'],
      [
        ['日本語', 5],
        ['a\nb', 1200],
        [null, null],
        ['x'.repeat(200), 1],
      ],
    );
    expect(lines[1]).toBe(`日本語${' '.repeat(55)}      5`);
    expect(lines[2]).toBe(`a␊b${' '.repeat(58)}   1200`);
    expect(lines[4]).toBe(`${'x'.repeat(60)}…      1`);
    expect(lines).toHaveLength(5);
  });
});

describe('the words of a command', () => {
  const options = [
    { name: 'from', value: 'TIME', summary: '' },
    { name: 'json', value: null, summary: '' },
  ];
  const fail = (words: string[]): unknown => {
    try {
      return readArguments(words, options, 1).require('from');
    } catch (error) {
      return error;
    }
  };

  it.each([
    [['--form', 'now'], /--form/],
    [['--from'], /--from/],
    [['--from', ''], /needs a value/],
    [['--from', 'a', '--from', 'b'], /given twice/],
    [['--json=1', '--from', 'a'], /--json/],
    [['one', 'two', '--from', 'a'], /"two" is one word too many/],
    [[], /--from is missing/],
  ])('%j is a fault of usage', (words, message) => {
    const error = fail(words);
    expect(error).toBeInstanceOf(CommandError);
    expect(error).toMatchObject({ exitCode: EXIT.usage, message: expect.stringMatching(message) as string });
  });

  it('every command has help that names its options, and every line of it fits', () => {
    for (const command of COMMANDS) {
      const help = writeCommandHelp('npm run cli --', command);
      for (const { name } of command.options) expect(help).toContain(`--${name}`);
      expect(help.split('\n').filter((line) => line.length > 120)).toEqual([]);
    }
    expect(writeHelp('npm run cli --', COMMANDS)).toContain('connection add');
    expect(writeHelp('npm run cli --', COMMANDS, 'connection')).not.toContain('fetch');
  });

  it('every error of the core has an exit code, and only success has 0', () => {
    const codes = ERROR_CODES.map((code) => toExitCode({ code, details: {} }));
    expect(codes).not.toContain(EXIT.done);
    expect(
      toExitCode({ code: 'client.circuit-open', details: { reason: 'client.credentials-refused' } }),
    ).toBe(EXIT.refused);
    expect(toExitCode({ code: 'client.circuit-open', details: {} })).toBe(EXIT.unreachable);
  });

  it('a cache that a newer version wrote is refused with what to do about it', () => {
    const { exitCode, hint } = toCommandError(toErrorInfo(new AppError('cache.newer', 'A later one.')));
    expect([exitCode, hint]).toEqual([
      EXIT.disk,
      'Install the newer version, or give another folder with --data.',
    ]);
  });
});

const hasBash = spawnSync('bash', ['--version']).status === 0;
const hasZsh = spawnSync('zsh', ['--version']).status === 0;

describe('completion', () => {
  /** What bash offers for the last of the words. */
  const complete = (...words: string[]): string[] => {
    const script = `${writeCompletion('bash', 'cs', COMMANDS)}
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cs_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const run = spawnSync('bash', ['--norc', '-c', script, 'bash', 'cs', ...words], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    return run.stdout.split('\n').filter((line) => line !== '');
  };

  it.skipIf(!hasBash)('in bash offers commands, options and the few values that some take', () => {
    expect(complete('f')).toEqual(['fetch', 'follow', 'findings']);
    expect(complete('connection', '')).toEqual(['add', 'list', 'test', 'remove', '--help']);
    expect(complete('connection', 'add', '--to')).toEqual(['--token-env']);
    expect(complete('fetch', '--connection', 'connection', '--report', 'in')).toEqual([
      'inbound-detail',
      'inbound-summary',
    ]);
    expect(complete('export', '--json', '--format', 'c')).toEqual(['csv']);
    expect(complete('fetch', '--from', '')).toEqual([]);
    expect(complete('completion', 'p')).toEqual(['powershell']);
  });

  it.skipIf(!hasZsh)('in zsh is a script that zsh reads', () => {
    const run = spawnSync('zsh', ['-fn'], {
      input: writeCompletion('zsh', 'cs', COMMANDS),
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
  });

  it('in PowerShell registers the word, with every command', () => {
    const script = writeCompletion('powershell', 'cs', COMMANDS);
    expect(script).toContain("-CommandName 'cs'");
    for (const { name } of COMMANDS) expect(script).toContain(`'${name}' = @(`);
  });

  it.each(SHELLS)(
    'in %s names every command, every option of it, and every value that it may have',
    (shell) => {
      const script = writeCompletion(shell, 'cs', COMMANDS);
      const lineOf = (key: string): string =>
        script.split('\n').find((line) => line.trimStart().startsWith(`'${key}'`)) ?? '';
      for (const { name, options, choices = [] } of COMMANDS) {
        for (const word of choices) expect(lineOf(name)).toContain(word);
        for (const option of [...options, ...COMMON_OPTIONS]) {
          expect(lineOf(name), name).toContain(`--${option.name}`);
        }
        for (const { name: option, choices: values = [] } of options) {
          for (const value of values) expect(lineOf(`${name} --${option}`)).toContain(value);
        }
      }
    },
  );

  it.skipIf(!hasBash)('in bash offers the options of every command', () => {
    for (const { name, options } of COMMANDS) {
      const offered = complete(...name.split(' '), '--');
      expect(offered).toEqual([...options, ...COMMON_OPTIONS].map((option) => `--${option.name}`));
    }
  });
});

it.each([
  [0, '0 findings'],
  [1, '1 finding'],
  [4051, '4,051 findings'],
])('%i is counted with its noun', (count, words) => {
  expect(countWords(count, 'finding')).toBe(words);
});
