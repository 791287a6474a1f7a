import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCore } from '../../../src-main/core/create-core.ts';
import { locateDataFolder } from '../../../src-main/core/data-folder/locate-data-folder.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { findSourceWorkers } from '../../../src-main/node/worker-scripts.ts';
import { type Rerun, runAgain } from '../../../src-main/start/run-web.ts';
import { startWebApplication } from '../../../src-main/web/start-web-application.ts';
import { launch } from '../../support/application/web-server.ts';

let place: string;
let run: Rerun;
beforeEach(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'channelscope-web-move-')));
  const standard = join(place, 'standard');
  await mkdir(standard);
  await writeFile(join(standard, 'index.html'), '<!doctype html><title>shell</title>');
  await writeFile(join(standard, 'settings.json'), JSON.stringify({ followLocalService: false }));
  const locate = () => locateDataFolder(standard, null);
  const failures: unknown[] = [];
  run = runAgain(
    (location) =>
      startWebApplication({
        platform: 'linux',
        version: '0.0.0-test',
        location,
        windowFolder: standard,
        iconFolder: standard,
        developmentServer: null,
        port: 0,
        now: Date.now,
        workers: findSourceWorkers(),
        onError: (error) => void failures.push(error),
        startAgain: () => run.startAgain(),
        createCore: (host) =>
          createCore(host, {
            openSecretStore: () => Promise.resolve({ store: createInMemorySecretStore(), failure: null }),
          }),
      }),
    locate(),
    locate,
    (error) => void failures.push(error),
  );
  await run.first;
});
afterEach(async () => {
  await run.stop();
  await rm(place, { recursive: true, force: true, maxRetries: 5 });
});

it('a page in the browser moves the data folder, and finds its host again with the same session', async () => {
  const server = await run.first;
  const origin = `http://127.0.0.1:${server.port}`;
  const { headers } = await launch({ way: server.createLaunch(), origin });
  const call = async (name: string, input: unknown): Promise<unknown> => {
    const response = await fetch(`${origin}/api/call/${name}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const answer = (await response.json()) as { ok: boolean; value: unknown };
    expect(answer).toMatchObject({ ok: true });
    return answer.value;
  };
  const target = join(place, 'moved');
  await call('data-folder/start-move', { folder: target });
  await vi.waitFor(
    async () => expect(await call('app/get-info', null)).toMatchObject({ dataFolder: target }),
    { timeout: 30_000, interval: 100 },
  );
  expect(await call('data-folder/read-place', null)).toMatchObject({ chosenBy: 'person', move: null });
  await call('data-folder/use-previous', null);
  await vi.waitFor(
    async () =>
      expect(await call('app/get-info', null)).toMatchObject({ dataFolder: join(place, 'standard') }),
    { timeout: 30_000, interval: 100 },
  );
});
