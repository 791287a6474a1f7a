import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCore, type Core } from '../../src-main/core/create-core.ts';
import type { Host } from '../../src-main/core/host.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { claimFolder } from '../../src-main/node/claim-folder.ts';
import { bundledScript } from '../support/programs/bundled-script.ts';
import { createTestHost } from '../support/application/test-host.ts';
import { itOnPosix } from '../support/skips/posix.ts';

const HOLDER = fileURLToPath(bundledScript('hold-folder'));

let host: Host;
let remove: () => Promise<void>;
const children: ChildProcess[] = [];
beforeEach(async () => {
  ({ host, remove } = await createTestHost());
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await remove();
});

function start(): Promise<Core> {
  const store = createInMemorySecretStore();
  return createCore(host, { openSecretStore: () => Promise.resolve({ store, failure: null }) });
}

/** Starts a process that claims the folder; returns it with what it printed. */
async function holdFolder(): Promise<{ holder: ChildProcess; printed: string }> {
  const holder = spawn(process.execPath, [HOLDER, host.dataFolder], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(holder);
  const [data] = (await once(holder.stdout, 'data')) as [Buffer];
  return { holder, printed: data.toString().trim() };
}

it('a start that failed leaves nothing behind that the next one could meet', async () => {
  const inTheWay = join(host.dataFolder, 'connections.json');
  await mkdir(inTheWay);
  await expect(start()).rejects.toMatchObject({ code: 'EISDIR' });
  await rm(inTheWay, { recursive: true });
  const core = await start();
  await core.stop();
});

it('what a window needs next starts with its first call: until then, it has the computer to itself', async () => {
  const scripts: URL[] = [];
  const startProcess: Host['startProcess'] = (script, argument) => {
    scripts.push(script);
    return host.startProcess(script, argument);
  };
  const store = createInMemorySecretStore();
  const core = await createCore(
    { ...host, startProcess },
    { openSecretStore: () => Promise.resolve({ store, failure: null }), calmMs: 3_600_000 },
  );
  await core.call('local-service/get-state', null);
  expect(scripts).toEqual([]);
  await core.callFromWindow('app/get-info', null);
  expect(scripts).toEqual([host.workers.engine]);
  await core.stop();
});

describe('the data folder', () => {
  it('is refused to a second process, which writes nothing into it', async () => {
    const before = await readdir(host.dataFolder);
    expect((await holdFolder()).printed).toBe('held');
    await expect(start()).rejects.toMatchObject({
      code: 'cache.locked',
      message: `Channelscope is already open with the folder ${host.dataFolder}.`,
      details: { folder: host.dataFolder },
    });
    expect(await readdir(host.dataFolder)).toEqual([...before, 'folder.lock'].sort());
  });

  it('is held while the core runs, and free once it has stopped', async () => {
    const core = await start();
    expect((await holdFolder()).printed).toBe('cache.locked');
    expect(() => claimFolder(host.dataFolder)).toThrow(expect.objectContaining({ code: 'cache.locked' }));
    await core.stop();
    expect((await holdFolder()).printed).toBe('held');
  });

  it('A2: is free at once when its holder was killed', async () => {
    const { holder, printed } = await holdFolder();
    expect(printed).toBe('held');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const core = await start();
    await core.stop();
  });

  itOnPosix('has a claim that only its owner can read', async () => {
    claimFolder(host.dataFolder)();
    expect((await stat(join(host.dataFolder, 'folder.lock'))).mode & 0o777).toBe(0o600);
  });
});
