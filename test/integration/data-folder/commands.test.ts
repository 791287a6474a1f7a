import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../../src-main/cli/run-cli.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { findSourceWorkers } from '../../../src-main/node/worker-scripts.ts';

let place: string;
let moved: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'channelscope-commands-'));
  moved = join(place, 'disk', 'moved');
  const chosen = { folder: moved, id: 'mine' };
  await mkdir(join(place, 'channelscope'));
  await writeFile(
    join(place, 'channelscope', 'data-folder.json'),
    JSON.stringify({ version: 1, chosen, previous: null, unfinished: null }),
  );
});
afterEach(() => rm(place, { recursive: true, force: true, maxRetries: 5 }));

/** Runs a command of a person whose standard folder is in `place`. */
async function run(...words: string[]): Promise<{ code: number; errors: string }> {
  const streams = { stdout: new PassThrough().resume(), stderr: new PassThrough() };
  let errors = '';
  streams.stderr.on('data', (part: Buffer) => (errors += part.toString()));
  const store = createInMemorySecretStore();
  const code = await runCli(words, {
    version: '0.0.0-test',
    workers: findSourceWorkers(),
    process: {
      ...streams,
      stdin: { isTTY: false },
      env: { XDG_DATA_HOME: place },
      platform: 'linux',
      cwd: () => place,
      on: () => undefined,
    } as never,
    now: Date.now,
    openSecretStore: () => Promise.resolve({ store, failure: null }),
  });
  return { code, errors };
}

it('a command works in the folder that everything was moved to', async () => {
  await mkdir(moved, { recursive: true });
  await writeFile(join(moved, 'data-folder.id'), 'mine\n');
  expect(await run('connection', 'list')).toMatchObject({ code: 0 });
  expect(existsSync(join(moved, 'cache.sqlite'))).toBe(true);
  expect(existsSync(join(place, 'channelscope', 'cache.sqlite'))).toBe(false);
});

it('a command ends with words where that folder is missing, and starts no other', async () => {
  const { code, errors } = await run('connection', 'list');
  expect(code).toBe(8);
  expect(errors).toContain(`The data folder isn't there: ${moved}.`);
  expect(existsSync(join(place, 'channelscope', 'cache.sqlite'))).toBe(false);
  expect((await run('connection', 'list', '--data', join(place, 'other'))).code).toBe(0);
});
