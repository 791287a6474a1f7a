import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SelfTestReport } from '../../../src-main/core/self-test/run-self-test.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { writeProgram } from '../../support/programs/write-program.ts';

const SELF_TEST_STEPS = [
  ...['window', 'page', 'preload', 'notification', 'tray', 'data folder', 'keychain', 'cache'],
  ...['analysis engine', 'built-in service', 'status', 'download', 'checksums', 'records', 'SQL', 'summary'],
  ...['CSV', 'Excel', 'PDF', 'quit'],
];
const script = fileURLToPath(bundledScript('start-with-root'));
const WORKERS = {
  cache: bundledScript('cache-thread'),
  service: bundledScript('service-thread'),
  engine: bundledScript('engine-process'),
  imports: bundledScript('import-thread'),
  rows: bundledScript('rows-thread'),
};
/** The stand-ins for the runtime are programs of Node that a shell starts. */
const NO_SCRIPTS = process.platform === 'win32';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'channelscope ü-'));
  await write('package.json', '{"version":"1.2.3"}');
  await write('out/renderer/index.html', '<title>the window</title>');
  // In place of what a build would make of the same sources.
  await write(
    'out/main/web.mjs',
    `import { runWeb as run } from '${bundledScript('run-web').href}';
    const names = Object.entries(${JSON.stringify(WORKERS)});
    const workers = Object.fromEntries(names.map(([name, address]) => [name, new URL(address)]));
    export const runWeb = (root, options) => run(root, options, { workers, developmentServer: null });`,
  );
});
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), text);
}

/** Puts a program in the place of Electron's. */
async function installRuntime(code: string): Promise<void> {
  await write('node_modules/electron/path.txt', 'electron');
  await mkdir(join(root, 'node_modules/electron/dist'));
  await writeProgram(join(root, 'node_modules/electron/dist/electron'), code);
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly readWords: () => string;
  /** Resolves to the address of the browser host, or to the exit code where there was none. */
  readonly outcome: Promise<string | number | null>;
}

function start(environment: NodeJS.ProcessEnv = {}, option = '--no-open'): Started {
  const child = spawn(process.execPath, [script, root, option, '--data', join(root, 'data')], {
    env: { ...process.env, ...environment },
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (words += text));
  const outcome = Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data').then(
      ([line]) => (JSON.parse(String(line)) as { url: string }).url,
    ),
    once(child, 'close').then(([code]) => code as number | null),
  ]);
  return { child, readWords: () => words, outcome };
}

/** Expects the application in the browser, the reason before it, and an end in order. */
async function expectBrowser({ child, readWords, outcome }: Started, ...words: RegExp[]): Promise<void> {
  const url = await outcome;
  expect(url, readWords()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/launch\?token=/u);
  expect(await (await fetch(new URL('/', String(url)))).text()).toContain('the window');
  for (const word of words) expect(readWords()).toMatch(word);
  expect(readWords()).toContain('opens in the browser instead');
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
}

describe.skipIf(NO_SCRIPTS)('npm start with a runtime that dies before its window is up', () => {
  it.each<[string, string, RegExp[]]>([
    ['by SIGTRAP', 'process.kill(process.pid, "SIGTRAP")', [/SIGTRAP/u, /chrome-sandbox|ordinary user/u]],
    [
      'with 1',
      'console.error("Missing X server or $DISPLAY"); process.exit(1)',
      [/no display/u, /desktop session/u],
    ],
    [
      'with 127',
      'console.error("electron: error while loading shared libraries: libnss3.so: cannot open"); process.exit(127)',
      [/lacks a library of the system: libnss3\.so\./u, /ldd/u],
    ],
  ])('opens the browser instead, with reason and remedy: %s', async (_how, code, words) => {
    await installRuntime(code);
    await expectBrowser(start(), ...words);
  });

  it('ends one that never shows a window, says meanwhile what is waited for, and opens the browser', async () => {
    await installRuntime('setInterval(() => {}, 1000)');
    await expectBrowser(start(), /waited for up to 20 s/u, /opened no window within 20 s/u);
  });

  it('waits for one that is silent for nine seconds, as under a virus scanner', async () => {
    await installRuntime(
      "setTimeout(() => process.send({ channelscope: 'shown' }, () => process.exit(3)), 9000)",
    );
    const running = start();
    expect(await running.outcome).toBe(3);
    expect(running.readWords()).toContain('a virus scanner may be reading it');
  });
});

describe.skipIf(NO_SCRIPTS)('npm start with a runtime that works', () => {
  const tell = (end: string): string =>
    `process.send({ channelscope: 'alive' }); process.send({ channelscope: 'shown' }, () => { ${end} });`;

  it('ends with the code of the application, and opens no browser', async () => {
    await installRuntime(tell('setTimeout(() => process.exit(7), 100)'));
    const running = start();
    expect(await running.outcome).toBe(7);
    expect(running.readWords()).toBe('');
  });

  it('says so when the window was up and the application crashed', async () => {
    await installRuntime(tell('setTimeout(() => process.kill(process.pid, "SIGSEGV"), 100)'));
    const running = start();
    expect(await running.outcome).toBe(128 + 11);
    expect(running.readWords()).toContain('ended unexpectedly (SIGSEGV)');
  });

  it('opens no second window or browser when the application is open already', async () => {
    await installRuntime("process.send({ channelscope: 'alive' }, () => process.exit(0))");
    const running = start();
    expect(await running.outcome).toBe(0);
  });

  it('opens no browser after a dialog that said why the application could not start', async () => {
    await installRuntime("process.send({ channelscope: 'explained' }, () => process.exit(1))");
    expect(await start().outcome).toBe(1);
  });

  it('gives it the data folder, never a weaker sandbox', async () => {
    await installRuntime(`
      require('node:fs').writeFileSync('seen', JSON.stringify([process.argv.slice(2), process.env.CHANNELSCOPE_DATA]));
      ${tell('process.exit(0)')}`);
    await start().outcome;
    const seen = await readFile(join(root, 'seen'), 'utf8');
    expect(JSON.parse(seen)).toEqual([[root], join(root, 'data')]);
  });
});

/** Opens an address as a browser does; returns whether it gave a session. */
async function enter(url: unknown): Promise<boolean> {
  const answer = await fetch(String(url), { redirect: 'manual' });
  return answer.status === 303 && (answer.headers.get('location') ?? '').startsWith('/#session=');
}

describe('npm start where the application runs in the browser already', () => {
  const installNothing = (): Promise<void> =>
    write('node_modules/electron/install.js', 'console.error("Error: offline"); process.exit(1)');

  it('finds it, prints a new address, and leaves it running', async () => {
    await installNothing();
    const first = start();
    const url = await first.outcome;
    // Its address is there before all of it is.
    await expect.poll(() => existsSync(join(root, 'data/control.json')), { timeout: 30_000 }).toBe(true);
    const second = start();
    const again = await second.outcome;
    expect(again, second.readWords()).not.toBe(url);
    await expect.poll(() => second.child.exitCode, { timeout: 30_000 }).toBe(0);
    expect(second.readWords()).toContain('runs already');
    // The tab of the first was closed: its address is used up, and the new one works, once.
    expect(await enter(url)).toBe(true);
    expect(await enter(url)).toBe(false);
    expect(await enter(again)).toBe(true);
    expect(await enter(again)).toBe(false);
    expect(first.child.exitCode).toBeNull();
    first.child.kill('SIGTERM');
    expect(await once(first.child, 'close')).toEqual([0, null]);
  });

  it('starts it where the one before ended without a word', async () => {
    await installNothing();
    const first = start();
    await first.outcome;
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    await expectBrowser(start());
  });
});

describe('npm start -- --self-test', () => {
  it('tests the application in the browser on itself, writes a report of twenty steps, and ends', async () => {
    await write('node_modules/electron/install.js', 'console.error("Error: offline"); process.exit(1)');
    const file = join(root, 'report.json');
    const running = start({}, `--self-test=${file}`);
    expect(await running.outcome, running.readWords()).toBe(0);
    const report = JSON.parse(await readFile(file, 'utf8')) as SelfTestReport;
    expect(report).toMatchObject({ host: 'web', version: '1.2.3', isPassed: true });
    expect(report.steps.map(({ name }) => name)).toEqual(SELF_TEST_STEPS);
    expect(report.steps.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(running.readWords()).toContain('The self-test passed.');
    // The person's folder is not touched.
    expect(existsSync(join(root, 'data'))).toBe(false);
  });
});

describe.skipIf(NO_SCRIPTS)('a browser that is a snap, which sees no hidden folder', () => {
  it('is led by a page in its own folder, and the address is said once more where no page asks', async () => {
    await write('node_modules/electron/install.js', 'console.error("Error: offline"); process.exit(1)');
    const home = join(root, 'home');
    const bin = join(root, 'bin');
    await mkdir(bin);
    await mkdir(home);
    await writeProgram(join(bin, 'xdg-settings'), "console.log('firefox_firefox.desktop')");
    await writeProgram(
      join(bin, 'xdg-open'),
      `require('node:fs').writeFileSync(${JSON.stringify(join(root, 'opened'))}, process.argv[2])`,
    );
    const running = start({ PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: home }, '--open');
    const url = await running.outcome;
    await expect
      .poll(() => readFile(join(root, 'opened'), 'utf8').catch(() => ''), { timeout: 30_000 })
      .not.toBe('');
    const page = fileURLToPath(await readFile(join(root, 'opened'), 'utf8'));
    expect(page.startsWith(join(home, 'snap/firefox/common/'))).toBe(true);
    expect(await readFile(page, 'utf8')).toContain('/launch?token=');
    await expect
      .poll(running.readWords, { timeout: 30_000 })
      .toContain(`No page has asked for it yet. Open this address: ${String(url)}`);
    running.child.kill('SIGTERM');
    expect(await once(running.child, 'close')).toEqual([0, null]);
  });
});

describe('npm start without a runtime', () => {
  it('opens the browser where it cannot be downloaded, and says what helps', async () => {
    await write(
      'node_modules/electron/install.js',
      'console.error("HTTPError: Response code 403"); process.exit(1)',
    );
    await expectBrowser(start(), /can't be had: HTTPError: Response code 403/u, /HTTPS_PROXY/u);
  });
});
