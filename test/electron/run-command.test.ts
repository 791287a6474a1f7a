import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import {
  findCommandWords,
  findGivenFolder,
  relaunch,
} from '../../src-main/electron/launch/start-arguments.ts';
import { choosePrinter, runCommand } from '../../src-main/electron/launch/run-command.ts';
import { printDocument } from '../../src-main/electron/window.ts';
import { findSourceWorkers } from '../../src-main/node/worker-scripts.ts';
import {
  app,
  calls,
  makeReady,
  namesOfCalls,
  resetFakeElectron,
  startsUnderWindows,
  windows,
} from '../support/electron/fake-electron.ts';
import { writeProgram } from '../support/programs/write-program.ts';

let folder: string;
beforeEach(async () => {
  resetFakeElectron();
  folder = await mkdtemp(join(tmpdir(), 'channelscope-packed-cli-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

interface Ended {
  readonly output: string;
  readonly errors: string;
  readonly code: unknown;
}

/** Runs a command in the stand-in for the packaged program; `during` is called once it has begun. */
async function run(words: readonly string[], during: () => void = () => undefined): Promise<Ended> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const texts = { stdout: '', stderr: '' };
  streams.stdout.on('data', (part: Buffer) => (texts.stdout += part.toString()));
  streams.stderr.on('data', (part: Buffer) => (texts.stderr += part.toString()));
  const store = createInMemorySecretStore();
  const running = runCommand(words, {
    process: {
      ...streams,
      stdin: { isTTY: false },
      env: {},
      platform: process.platform,
      cwd: () => folder,
      on: () => undefined,
      exit: () => undefined,
    } as never,
    workers: findSourceWorkers(),
    openSecretStore: () => Promise.resolve({ store, failure: null }),
  });
  makeReady();
  during();
  await running;
  const [ended] = calls.filter(({ name }) => name === 'app.exit');
  return { output: texts.stdout, errors: texts.stderr, code: ended?.args[0] };
}

describe('a command of the packaged program', () => {
  it('writes to standard output and ends with its exit code, without a window or a claim to be the only one', async () => {
    const { output, errors, code } = await run([
      'connection',
      'list',
      '--json',
      '--data',
      join(folder, 'data'),
    ]);
    expect({ output, errors, code }).toEqual({ output: '', errors: '', code: 0 });
    expect(existsSync(join(folder, 'data', 'cache.sqlite'))).toBe(true);
    expect(windows).toEqual([]);
    expect(namesOfCalls()).not.toContain('app.requestSingleInstanceLock');
    const early = namesOfCalls().slice(0, namesOfCalls().indexOf('(ready)'));
    expect(early).toContain('app.enableSandbox');
  });

  it('keeps Chromium out of the data folder, and leaves nothing of it', async () => {
    await run(['--help']);
    const places = calls.filter(({ name }) => name === 'app.setPath').map(({ args }) => String(args[1]));
    expect(new Set(places).size).toBe(1);
    expect(places[0]).toContain('channelscope-cli-');
    expect(existsSync(places[0] ?? '')).toBe(false);
  });

  it('names itself as a person types it', async () => {
    const { output, code } = await run(['--help']);
    expect(output).toMatch(/^channelscope-cli COMMAND \[options\]/u);
    expect(code).toBe(0);
    resetFakeElectron();
    expect((await run(['count', '--help'])).output).toMatch(/^channelscope-cli count/u);
  });

  it('that is none says so and ends with 2', async () => {
    const { output, errors, code } = await run(['cuont']);
    expect(output).toBe('');
    expect(errors).toContain('There is no command "cuont".');
    expect(code).toBe(2);
  });

  it('is not run with a switch that takes the guards away', async () => {
    app.switches.add('no-sandbox');
    const { errors, code } = await run(['--help']);
    expect(errors).toContain('--no-sandbox');
    expect(code).toBe(2);
    expect(namesOfCalls()).not.toContain('app.whenReady');
  });

  it('is cancelled in order where the system ends its applications', async () => {
    const { code } = await run(['follow', '--connection', 'None', '--data', join(folder, 'data')], () =>
      setTimeout(() => app.quit(), 0),
    );
    expect(code).not.toBe(0);
    expect(namesOfCalls().filter((name) => name === '(ended)')).toHaveLength(1);
  });
});

describe('a command whose words hold an address', () => {
  const launchers = new URL('../../resources/bin/', import.meta.url);
  /** The words that a launcher of Windows gives to the program, for those that a person types. */
  const launch = (...words: string[]): string[] => {
    const text = readFileSync(new URL('windows/channelscope-cli.cmd', launchers), 'utf8');
    const line = /^start .*$/mu.exec(text)?.[0].trim() ?? '';
    const given = line
      .slice(line.indexOf('.exe"') + '.exe"'.length)
      .trim()
      .split(' ');
    return ['Channelscope.exe', ...given.flatMap((word) => (word === '%*' ? words : [word]))];
  };

  it.each([
    [['connection', 'add', '--address', 'https://reports.example', '--name', 'Production']],
    [['count', '--query', 'code:>=500', '--json']],
    [['count', '--json']],
  ])('%j is run under Windows', (words) => {
    const started = launch(...words);
    expect(startsUnderWindows(started)).toBe(true);
    expect(findCommandWords(started, true)).toEqual(words);
  });

  it('would end without a word there, were it not for what the launcher puts before it', () => {
    expect(startsUnderWindows(['Channelscope.exe', 'cli', 'https://reports.example', '--name', 'x'])).toBe(
      false,
    );
    expect(startsUnderWindows(['Channelscope.exe', 'cli', 'import', 'C:\\a.csv', '--json'])).toBe(true);
  });

  it.each(['linux', 'macos'])('is handed on in the same way under %s', (system) => {
    expect(readFileSync(new URL(`${system}/channelscope-cli`, launchers), 'utf8')).toContain(' -- cli "$@"');
  });
});

describe('a PDF on the command line', () => {
  const idle = new AbortController().signal;

  it.skipIf(process.platform === 'win32')('is printed by a browser where there is no screen', async () => {
    app.switchValues.set('ozone-platform', 'headless');
    makeReady();
    const browser = join(folder, 'browser');
    await writeProgram(
      browser,
      `const target = process.argv.find((word) => word.startsWith('--print-to-pdf=')).slice(15);
       require('node:fs').writeFileSync(target, '%PDF of a browser');`,
    );
    vi.stubEnv('CHANNELSCOPE_CHROMIUM', browser);
    onTestFinished(() => void vi.unstubAllEnvs());
    const target = join(folder, 'report.pdf');
    await writeFile(join(folder, 'report.html'), '<p>');
    await choosePrinter()(join(folder, 'report.html'), target, idle);
    expect(await readFile(target, 'utf8')).toBe('%PDF of a browser');
    expect(windows).toEqual([]);
  });

  it('is printed in a window that nobody sees where there is one, which takes no longer than its limit', async () => {
    makeReady();
    const target = join(folder, 'report.pdf');
    await choosePrinter()(join(folder, 'report.html'), target, idle);
    expect(await readFile(target, 'utf8')).toBe('%PDF');
    app.switchValues.set('ozone-platform', 'headless');
    await expect(printDocument(join(folder, 'report.html'), target, idle, 50)).rejects.toMatchObject({
      code: 'exports.print-failed',
    });
    expect(windows.every((window) => window.isDestroyed())).toBe(true);
  });
});

describe('what the program was started with', () => {
  it.each([
    [['Channelscope.exe', '--', 'cli', 'count', '--json'], true, ['count', '--json']],
    [['Channelscope.exe', 'cli', 'count', '--json'], true, ['count', '--json']],
    [['channelscope', '--ozone-platform=headless', 'cli', 'sql', 'SELECT 1'], true, ['sql', 'SELECT 1']],
    [['channelscope', 'cli'], true, []],
    [['electron', '.', 'cli', 'status'], false, ['status']],
    [['electron', '.', '--safe'], false, null],
    [['electron', '.'], false, null],
    [['channelscope'], true, null],
    [['channelscope', '--safe'], true, null],
    [['channelscope', 'channelscope://open/overview'], true, null],
    [['channelscope', '/home/ana/cli'], true, null],
    [['channelscope', '/home/ana/day.channelscope', 'cli'], true, null],
  ] as const)('%j, packaged: %j, is the command %j', (words, isPackaged, command) => {
    expect(findCommandWords(words, isPackaged)).toEqual(command);
  });

  it.each([
    [['channelscope', '--data', 'mine'], {}, '/home/ana/mine'],
    [['channelscope', '--data=/else'], {}, '/else'],
    [['channelscope'], { CHANNELSCOPE_DATA: '/own' }, '/own'],
    [['channelscope', '--data=/else'], { CHANNELSCOPE_DATA: '/own' }, '/else'],
    [['channelscope'], { CHANNELSCOPE_DATA: '' }, null],
    [['channelscope', '--data'], {}, null],
  ] as const)('%j with %j has the data folder %s', (words, environment, expected) => {
    const found = findGivenFolder(words, '/home/ana', environment);
    expect(found?.replace(/^[A-Z]:/u, '').replaceAll('\\', '/') ?? null).toBe(expected);
  });
});

describe('starting again', () => {
  const lastOptions = (): unknown => calls.filter(({ name }) => name === 'app.relaunch').at(-1)?.args[0];

  it('starts the program with what it was started with, or other words', () => {
    relaunch(undefined, {});
    expect(lastOptions()).toBeUndefined();
    relaunch(['--data', '/mine'], {});
    expect(lastOptions()).toEqual({ args: ['--data', '/mine'] });
  });

  it.each([
    ['APPIMAGE', '/opt/Channelscope.AppImage'],
    ['PORTABLE_EXECUTABLE_FILE', 'C:\\Tools\\Channelscope-portable.exe'],
  ])('starts what unpacks the program by its own file, named by %s', (name, file) => {
    relaunch(undefined, { [name]: file });
    expect(lastOptions()).toMatchObject({ execPath: file, args: process.argv.slice(1) });
  });
});
