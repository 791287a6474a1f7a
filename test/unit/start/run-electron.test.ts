import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  type DesktopEnd,
  explainFailure,
  runElectron,
  type RuntimeEnd,
} from '../../../src-main/start/run-electron.ts';
import { exemptLoopback } from '../../../src-main/node/node-network.ts';
import { writeProgram } from '../../support/programs/write-program.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-runtime-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

const died: RuntimeEnd = {
  platform: 'linux',
  isRoot: false,
  program: '/app/dist/electron',
  startError: null,
  code: 1,
  signal: null,
  silentMs: null,
  errorOutput: '',
};

describe('a runtime that died is explained', () => {
  it.each<[string, Partial<RuntimeEnd>, RegExp, RegExp]>([
    [
      'a trap',
      { code: null, signal: 'SIGTRAP' },
      /denied Electron its sandbox.*SIGTRAP/u,
      /dist\/chrome-sandbox/u,
    ],
    ['a trap as root', { code: null, signal: 'SIGTRAP', isRoot: true }, /as root/u, /ordinary user/u],
    [
      'root, in its words',
      { errorOutput: 'Running as root without --no-sandbox is not supported.' },
      /as root/u,
      /ordinary/u,
    ],
    ['no display', { errorOutput: 'ERROR: Missing X server or $DISPLAY' }, /no display/u, /desktop session/u],
    [
      'no namespaces',
      { errorOutput: 'Failed to move to new namespace: Operation not permitted' },
      /sandbox/u,
      /4755/u,
    ],
    [
      'a library',
      { code: 127, errorOutput: 'error while loading shared libraries: libgtk-3.so.0: x' },
      /libgtk-3\.so\.0/u,
      /ldd/u,
    ],
    ['127 without words', { code: 127 }, /exit code 127/u, /ldd/u],
    [
      'another code',
      { code: 3, errorOutput: 'a\nout of luck\n' },
      /exit code 3.*out of luck/u,
      /tries the desktop window again/u,
    ],
    ['a trap on macOS', { platform: 'darwin', code: null, signal: 'SIGTRAP' }, /SIGTRAP/u, /tries/u],
    ['no program', { code: null, startError: 'spawn ENOEXEC' }, /can't be started: spawn ENOEXEC/u, /dist/u],
    ['silence', { code: null, signal: 'SIGKILL', silentMs: 6000 }, /within 6 s/u, /tries/u],
  ])('%s', (_what, end, reason, remedy) => {
    const explanation = explainFailure({ ...died, ...end });
    expect(explanation.reason).toMatch(reason);
    expect(explanation.remedy).toMatch(remedy);
    expect(JSON.stringify(explanation)).not.toMatch(/start.*--no-sandbox|disable/u);
  });
});

// The stand-ins for the runtime are programs of Node that a shell starts.
describe.skipIf(process.platform === 'win32')('a runtime is watched until its window is up', () => {
  async function run(code: string, silenceMs = 60_000): Promise<DesktopEnd> {
    const program = join(folder, 'electron');
    if (code === '') await writeFile(program, '\u007fELF', { mode: 0o755 });
    else await writeProgram(program, code);
    return runElectron(program, folder, { silenceMs, environment: process.env });
  }

  it('a program that is none is a failure, not an error without words', async () => {
    expect(await run('')).toMatchObject({ isOver: false });
  });

  it('one that ends after its main process began has failed', async () => {
    const code = 'process.send({ channelscope: "alive" }, () => process.exit(1))';
    expect(await run(code)).toMatchObject({
      isOver: false,
      reason: expect.stringContaining('exit code 1') as string,
    });
  });

  it('one that goes silent after its main process began is ended', async () => {
    const code = 'process.send({ channelscope: "alive" }); setInterval(() => {}, 1000)';
    expect(await run(code, 1000)).toMatchObject({ isOver: false });
  });

  it('one that takes long, but says that it is at it, is waited for', async () => {
    const code = `const timer = setInterval(() => process.send({ channelscope: 'alive' }), 100);
      setTimeout(() => { clearInterval(timer); process.send({ channelscope: 'shown' }, () => process.exit(5)); }, 6000);`;
    expect(await run(code, 5000)).toEqual({ isOver: true, exitCode: 5, words: null });
  });

  it('one that says it in its file only, and by no channel, is heard too', async () => {
    const code = `const { appendFileSync } = require('node:fs');
      const say = (word) => appendFileSync(process.env.CHANNELSCOPE_START_FILE, word + '\\n');
      say('alive');
      setTimeout(() => { say('shown'); process.exit(5); }, 200);`;
    expect(await run(code)).toEqual({ isOver: true, exitCode: 5, words: null });
  });

  it('one that is silent for long is waited for, and the person is told so', async () => {
    const program = join(folder, 'slow');
    await writeProgram(
      program,
      "setTimeout(() => process.send({ channelscope: 'shown' }, () => process.exit(0)), 1500)",
    );
    let notices = 0;
    const end = await runElectron(program, folder, {
      silenceMs: 60_000,
      noticeMs: 100,
      onNotice: () => (notices += 1),
      environment: process.env,
    });
    expect(end).toMatchObject({ isOver: true, exitCode: 0 });
    expect(notices).toBe(1);
  });

  it('keeps no one waiting for output that a process left behind holds open', async () => {
    const startedAtMs = performance.now();
    const end = await run(`
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 30000)'],
        { stdio: ['ignore', 'ignore', 'inherit'] });
      child.once('spawn', () => process.exit(1));`);
    expect(end).toMatchObject({ isOver: false });
    expect(performance.now() - startedAtMs).toBeLessThan(25_000);
  });
});

describe('the web application on a managed computer', () => {
  it('reaches services by the proxy of the environment, and this computer directly', async () => {
    const proxied: string[] = [];
    const server = createServer((request, response) => {
      proxied.push(request.url ?? '');
      response.end(request.headers.host === 'reports.example' ? 'by the proxy' : 'directly');
    });
    server.on('connect', (request, socket) => {
      proxied.push(request.url ?? '');
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      server.emit('connection', socket);
    });
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const module = new URL('../../../src-main/node/node-network.ts', import.meta.url).href;
    const code = `
      const { createNodeNetwork } = await import(${JSON.stringify(module)});
      const network = createNodeNetwork({ http_proxy: ${JSON.stringify(address)} });
      const isUsed = network.use({ proxy: { mode: 'system' }, authorities: [] });
      const read = async (url) => (await fetch(url)).text();
      console.log(JSON.stringify([isUsed, await read('http://reports.example/a'), await read(${JSON.stringify(`${address}/b`)})]));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = await Promise.race([
      once(child.stdout.setEncoding('utf8'), 'data'),
      once(child, 'exit'),
    ]);
    expect(JSON.parse(String(output))).toEqual([true, 'by the proxy', 'directly']);
    expect(proxied).toEqual(['reports.example:80', '/a', '/b']);
  });

  it('adds this computer to the names that the environment exempts', () => {
    expect(exemptLoopback({ NO_PROXY: 'intranet' })['no_proxy']).toBe(
      'intranet,localhost,127.0.0.1,::1,[::1]',
    );
  });
});
