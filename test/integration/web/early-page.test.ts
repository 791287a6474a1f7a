import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import type { Core } from '../../../src-main/core/create-core.ts';
import { locateDataFolder } from '../../../src-main/core/data-folder/locate-data-folder.ts';
import { findSourceWorkers } from '../../../src-main/node/worker-scripts.ts';
import { startWebApplication } from '../../../src-main/web/start-web-application.ts';
import type { Host } from '../../../src-main/core/host.ts';
import { createStubCore } from '../../support/fakes/stub-core.ts';
import { launch } from '../../support/application/web-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-early-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const startWith = (createCore: (host: Host) => Promise<Core>) =>
  startWebApplication({
    platform: 'linux',
    version: '0.0.0-test',
    location: locateDataFolder(folder, null),
    windowFolder: folder,
    iconFolder: folder,
    developmentServer: null,
    port: 0,
    now: Date.now,
    workers: findSourceWorkers(),
    onError: () => undefined,
    createCore,
  });

async function openPage(server: Awaited<ReturnType<typeof startWith>>) {
  const origin = `http://127.0.0.1:${server.port}`;
  const { headers } = await launch({ way: server.createLaunch(), origin });
  return {
    call: async (name: string): Promise<unknown> => {
      const response = await fetch(`${origin}/api/call/${name}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: 'null',
      });
      return response.json();
    },
    upload: async (text: string): Promise<string> => {
      const response = await fetch(`${origin}/api/imports`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/octet-stream' },
        body: text,
      });
      return ((await response.json()) as { uploadId: string }).uploadId;
    },
    listen: async (signal: AbortSignal): Promise<ReadableStreamDefaultReader<string>> => {
      const response = await fetch(`${origin}/api/events`, { headers, signal });
      return response.body!.pipeThrough(new TextDecoderStream()).getReader();
    },
  };
}

describe('a page that is opened before the core is there', () => {
  it('waits with its calls, and receives events from the first on', async () => {
    const { promise, resolve } = Promise.withResolvers<Core>();
    const server = await startWith(() => promise);
    const page = await openPage(server);
    const leaving = new AbortController();
    const events = await page.listen(leaving.signal);
    const answer = page.call('imports/take-opened-file');
    const core = createStubCore({ 'imports/take-opened-file': () => null });
    resolve(core);
    expect(await answer).toMatchObject({ ok: true });
    core.send('snapshots/removed', { snapshotIds: [7] });
    let text = '';
    while (!text.includes('}')) text += (await events.read()).value ?? '';
    expect(text).toContain('{"snapshotIds":[7]}');
    leaving.abort();
    await server.stop();
    expect(core.isStopped).toBe(true);
  });

  it('keeps the file that it uploads, while what an earlier run left is removed', async () => {
    const left = join(folder, 'uploads', 'left.csv');
    await mkdir(join(folder, 'uploads'));
    await writeFile(left, 'Id');
    const { promise, resolve } = Promise.withResolvers<Core>();
    let host: Host | undefined;
    const server = await startWith((given) => {
      host = given;
      return promise;
    });
    const uploadId = await (await openPage(server)).upload('{"Id":"a"}');
    resolve(createStubCore({}));
    await server.whenReady;
    const file = await host!.chooseImportFile(uploadId);
    expect(await readFile(file!.path, 'utf8')).toBe('{"Id":"a"}');
    await expect(access(left)).rejects.toThrow('ENOENT');
    await server.stop();
    await expect(access(join(folder, 'uploads'))).rejects.toThrow('ENOENT');
  });

  it('gets the core in time, whoever asks for its files again and again', async () => {
    const server = await startWith(() => Promise.resolve(createStubCore()));
    const asking = setInterval(() => {
      fetch(`http://127.0.0.1:${server.port}/come-back`).catch(() => undefined);
    }, 20);
    try {
      await expect(server.whenReady).resolves.toBeUndefined();
    } finally {
      clearInterval(asking);
    }
    await server.stop();
  });

  it('is told what keeps the application from starting', async () => {
    const server = await startWith(() =>
      Promise.reject(new AppError('cache.newer', 'A later version wrote the cache.')),
    );
    const page = await openPage(server);
    await expect(server.whenReady).rejects.toThrow('A later version');
    expect(await page.call('settings/get')).toMatchObject({ ok: false, error: { code: 'cache.newer' } });
    await server.stop();
  });

  it('leaves the place of the application that has the folder as it is', async () => {
    const first = await startWith(() => Promise.resolve(createStubCore()));
    const readPlaces = async (): Promise<string> => readFile(join(folder, 'web.json'), 'utf8');
    const before = await readPlaces();
    const second = startWith(() => Promise.resolve(createStubCore()));
    await expect(second).rejects.toThrow('Channelscope is already open with the folder');
    expect(await readPlaces()).toBe(before);
    await first.stop();
  });
});
