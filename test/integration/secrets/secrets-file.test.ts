import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Following } from '../../../src-main/common/contract/operations/cache.ts';
import { connectControl, type RemoteCore } from '../../../src-main/node/control.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { startTestService } from '../../support/service/running-service.ts';

const PASSPHRASE = 'canary passphrase 81f3 of seven words';
const root = fileURLToPath(new URL('../../..', import.meta.url));

let folder: string;
let data: string;
let passphraseFile: string;
let wrongFile: string;
let service: RunningService;

/** A session without a bus, over which every keychain of a Linux is reached. */
const environment = (more: Record<string, string> = {}): NodeJS.ProcessEnv => {
  const hidden = new Set(['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR']);
  const others = Object.entries(process.env).filter(([name]) => !hidden.has(name));
  return { ...Object.fromEntries(others), ...more };
};

/** Runs a command in a process of its own; `words` come after the name of the program. */
function cli(
  words: readonly string[],
  options: { env?: Record<string, string>; stdin?: string } = {},
): Promise<{ code: number; out: string; errors: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [fileURLToPath(bundledScript('run-cli')), ...words, '--data', data],
      { cwd: root, env: environment(options.env) },
      (error, out, errors) => resolve({ code: error === null ? 0 : Number(error.code), out, errors }),
    );
    child.stdin?.end(options.stdin ?? '');
  });
}

/** Starts the application without a browser, as on a server. */
async function startHeadless(...words: string[]): Promise<{ child: ChildProcess; said: () => string }> {
  const child = spawn(
    process.execPath,
    [join(root, 'src-main/start/start-web.js'), '--port', '0', '--no-open', '--data', data, ...words],
    { cwd: root, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(async () => {
    if (child.exitCode === null) await end(child);
  });
  let said = '';
  child.stderr.on('data', (text) => (said += String(text)));
  await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(said))),
  ]);
  return { child, said: () => said };
}
async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function readFollowing(): Promise<Following | undefined> {
  const remote = await connectControl(data);
  if (remote === null) return undefined;
  const answer = await remote.call('following/list', null, {});
  remote.close();
  return answer.ok ? (answer.value as Following[])[0] : undefined;
}

/** The application that runs: it listens a moment after it has printed its address. */
async function reach(): Promise<RemoteCore> {
  for (;;) {
    const remote = await connectControl(data);
    if (remote !== null) return remote;
    await wait(100);
  }
}

/** Every file below a folder, with what is in it. */
async function readAll(from: string): Promise<[path: string, bytes: Buffer][]> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (path): Promise<[string, Buffer]> => [path, await readFile(path)]));
}
async function findCanaries(): Promise<string[]> {
  const canaries = [PASSPHRASE, service.accessToken, service.accessTokenSecret].flatMap((text) => [
    text,
    Buffer.from(text).toString('base64').slice(0, -4),
    Buffer.from(text).toString('hex'),
  ]);
  const files = await readAll(data);
  expect(files.map(([path]) => path)).toContain(join(data, 'secrets.json'));
  return files.filter(([, bytes]) => canaries.some((text) => bytes.includes(text))).map(([path]) => path);
}

describe.skipIf(process.platform !== 'linux')('a server without a keychain', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'channelscope-secrets-file-'));
    data = join(folder, 'data');
    passphraseFile = join(folder, 'passphrase');
    wrongFile = join(folder, 'wrong');
    await writeFile(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
    await writeFile(wrongFile, 'another passphrase\n', { mode: 0o600 });
    service = await startTestService({ requireToken: true });
  }, 240_000);
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('keeps credentials in the encrypted file, whose passphrase comes from a file or a pipe', async () => {
    expect(await cli(['secrets', 'status', '--json'])).toMatchObject({
      out: '{"kind":"session","file":"offered","failure":"secrets.no-keychain"}\n',
    });
    // Without a terminal nobody can be asked.
    expect(await cli(['secrets', 'encrypt'])).toMatchObject({ code: 2, out: '' });
    const made = await cli(['secrets', 'encrypt', '--passphrase-file', '/dev/stdin'], {
      stdin: `${PASSPHRASE}\n`,
    });
    expect(made).toEqual({ code: 0, out: 'Secrets are kept in the encrypted file.\n', errors: '' });
    expect((await stat(join(data, 'secrets.json'))).mode & 0o777).toBe(0o600);
    const words = [
      'connection',
      'add',
      '--name',
      'Server',
      '--address',
      service.url,
      '--tenant',
      String(service.tenant),
    ];
    const added = await cli([...words, '--token-env', 'T', '--secret-env', 'S', '--json'], {
      env: {
        T: service.accessToken,
        S: service.accessTokenSecret,
        CHANNELSCOPE_PASSPHRASE_FILE: passphraseFile,
      },
    });
    expect(added).toMatchObject({ code: 0, errors: '' });
    expect(JSON.parse(added.out)).toMatchObject({ name: 'Server', secrets: 'file' });
  }, 240_000);

  it('refuses commands without the passphrase, and with a wrong one, and says what to do', async () => {
    const status = ['status', '--connection', 'Server'];
    const locked = await cli(status);
    expect(locked).toMatchObject({ code: 3, out: '' });
    expect(locked.errors).toContain('--passphrase-file');
    const wrong = await cli([...status, '--passphrase-file', wrongFile]);
    expect(wrong).toMatchObject({ code: 3, out: '' });
    expect(wrong.errors).toContain("The passphrase isn't that of the secrets file.");
    const missing = await cli([...status, '--passphrase-file', join(folder, 'nowhere')]);
    expect(missing).toMatchObject({ code: 2, out: '' });
    expect(missing.errors).toContain("The passphrase file can't be read");
    expect(await cli([...status, '--passphrase-file', passphraseFile])).toMatchObject({
      code: 0,
      errors: '',
    });
  }, 240_000);

  it('goes on following after a restart, and shows neither passphrase nor credentials anywhere', async () => {
    const { child } = await startHeadless('--passphrase-file', passphraseFile);
    const remote = await reach();
    const [connection] = ((await remote.call('connections/list', null, {})) as { value: { id: string }[] })
      .value;
    await remote.call('following/switch', { connectionId: connection!.id, followed: true }, {});
    remote.close();
    const state = async (): Promise<string | undefined> => (await readFollowing())?.state;
    await expect.poll(state, { timeout: 60_000 }).toMatch(/^(?:catching-up|following)$/u);
    await end(child);
    const again = await startHeadless('--passphrase-file', passphraseFile);
    await expect.poll(state, { timeout: 60_000 }).toMatch(/^(?:catching-up|following)$/u);
    for (const name of await readdir('/proc')) {
      const words = /^\d+$/u.test(name)
        ? await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
        : '';
      for (const secret of [PASSPHRASE, service.accessToken, service.accessTokenSecret]) {
        expect(words).not.toContain(secret);
      }
    }
    await end(again.child);
    expect(again.said()).not.toContain(PASSPHRASE);
    expect(await findCanaries()).toEqual([]);
  }, 240_000);

  it('waits with a locked file, and goes on following as soon as a command unlocks it', async () => {
    const { said } = await startHeadless();
    const failure = async (): Promise<string | undefined> => (await readFollowing())?.failure?.code;
    await expect.poll(failure, { timeout: 30_000 }).toBe('secrets.file-locked');
    expect(said()).toContain('The secrets file is locked');
    const wrong = await cli(['secrets', 'unlock', '--passphrase-file', wrongFile]);
    expect(wrong).toMatchObject({ code: 3 });
    expect(await failure()).toBe('secrets.file-locked');
    const unlocked = await cli(['secrets', 'unlock', '--passphrase-file', passphraseFile]);
    expect(unlocked).toMatchObject({ code: 0, out: 'Secrets are kept in the encrypted file.\n' });
    await expect
      .poll(async () => (await readFollowing())?.state, { timeout: 60_000 })
      .toMatch(/^(?:catching-up|following)$/u);
  }, 240_000);

  it('starts with a wrong passphrase, and says so; one that can’t be read stops any start but a safe one', async () => {
    const { child, said } = await startHeadless('--passphrase-file', wrongFile);
    await expect.poll(said).toContain("isn't that of the secrets file");
    await end(child);
    const nowhere = join(folder, 'nowhere');
    await expect(startHeadless('--passphrase-file', nowhere)).rejects.toThrow("can't be read");
    const safe = await startHeadless('--safe', '--passphrase-file', nowhere);
    expect(safe.said()).toContain("can't be read");
  }, 240_000);

  it('gives the file another passphrase, and forgets it with what is in it', async () => {
    const next = join(folder, 'next');
    await writeFile(next, 'the passphrase after it\n', { mode: 0o644 });
    const words = ['secrets', 'change-passphrase', '--new-passphrase-file', next];
    expect(await cli([...words, '--passphrase-file', wrongFile])).toMatchObject({ code: 3 });
    const changed = await cli([...words, '--passphrase-file', passphraseFile]);
    expect(changed).toMatchObject({ code: 0, out: 'The passphrase was changed.\n' });
    expect(changed.errors).toContain('Other users of this computer can read the passphrase file');
    expect(await cli(['secrets', 'unlock', '--passphrase-file', passphraseFile])).toMatchObject({ code: 3 });
    expect(await cli(['secrets', 'unlock', '--passphrase-file', next])).toMatchObject({ code: 0 });
    expect(await cli(['secrets', 'delete', '--yes'])).toMatchObject({ code: 0, errors: '' });
    expect(await readdir(data)).not.toContain('secrets.json');
    const list = await cli(['connection', 'list', '--json']);
    expect(JSON.parse(list.out)).toMatchObject({ name: 'Server', secrets: 'missing' });
  }, 240_000);
});
